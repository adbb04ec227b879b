package io.nereid.client.rest;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.Management;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All calls but inferences, by their paths and bodies. */
final class RestManagement implements Management {
  private static final Map<String, Object> NOTHING = Map.of();

  private final Exchange exchange;

  RestManagement(Exchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public Call<Boolean> isLive(CallContext context) {
    return check("/v2/health/live", "liveness of the server", context);
  }

  @Override
  public Call<Boolean> isReady(CallContext context) {
    return check("/v2/health/ready", "readiness of the server", context);
  }

  @Override
  public Call<Boolean> isModelReady(String model, String version, CallContext context) {
    String asked = "readiness of model '%s'".formatted(model);
    return check(Paths.model(model, version) + "/ready", asked, context);
  }

  /** 400 is how servers of the protocol say no. */
  private Call<Boolean> check(String path, String asked, CallContext context) {
    return exchange
        .send(exchange.get(path, context), context, asked)
        .map(
            exchange.at(asked),
            body -> body.status() != 400 && exchange.successful(body, asked).status() == 200);
  }

  @Override
  public Call<@Nullable Object> serverMetadata(CallContext context) {
    return get("/v2", "metadata of the server", context);
  }

  @Override
  public Call<@Nullable Object> modelMetadata(String model, String version, CallContext context) {
    return get(Paths.model(model, version), "metadata of model '%s'".formatted(model), context);
  }

  @Override
  public Call<@Nullable Object> modelConfig(String model, String version, CallContext context) {
    return get(
        Paths.model(model, version) + "/config",
        "configuration of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> statistics(String model, String version, CallContext context) {
    return model.isEmpty()
        ? get("/v2/models/stats", "statistics of all models", context)
        : get(
            Paths.model(model, version) + "/stats",
            "statistics of model '%s'".formatted(model),
            context);
  }

  @Override
  public Call<@Nullable Object> index(boolean readyOnly, CallContext context) {
    return post(
        "/v2/repository/index",
        readyOnly ? Map.of("ready", true) : NOTHING,
        "index of the repository",
        context);
  }

  @Override
  public Call<@Nullable Object> load(
      String model, String config, Map<String, byte[]> files, CallContext context) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    if (!config.isEmpty()) {
      parameters.put("config", config);
    }
    files.forEach((name, content) ->
        parameters.put("file:" + name, Base64.getEncoder().encodeToString(content)));
    return post(
        Paths.repository(model) + "/load",
        parameters.isEmpty() ? NOTHING : Map.of("parameters", parameters),
        "load of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> unload(String model, boolean dependents, CallContext context) {
    return post(
        Paths.repository(model) + "/unload",
        dependents ? Map.of("parameters", Map.of("unload_dependents", true)) : NOTHING,
        "unload of model '%s'".formatted(model),
        context);
  }

  @Override
  public Call<@Nullable Object> traceSettings(
      String model, Map<String, List<String>> changes, CallContext context) {
    String path = (model.isEmpty() ? "/v2" : Paths.model(model, "")) + "/trace/setting";
    String asked = "trace settings" + (model.isEmpty() ? "" : " of model '%s'".formatted(model));
    if (changes.isEmpty()) {
      return get(path, asked, context);
    }
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    changes.forEach((name, values) -> body.put(name, setting(name, values)));
    return post(path, body, asked, context);
  }

  /** The level is a list, all others are one string; null goes back to the fallback. */
  private static @Nullable Object setting(String name, List<String> values) {
    if (values.isEmpty()) {
      return null;
    }
    return name.equals("trace_level") || values.size() > 1 ? values : values.get(0);
  }

  @Override
  public Call<@Nullable Object> logSettings(Map<String, Object> changes, CallContext context) {
    return changes.isEmpty()
        ? get("/v2/logging", "log settings", context)
        : post("/v2/logging", changes, "log settings", context);
  }

  @Override
  public Call<@Nullable Object> regions(boolean cuda, String name, CallContext context) {
    return get(Paths.regions(cuda, name) + "/status", "regions of shared memory", context);
  }

  @Override
  public Call<@Nullable Object> registerSystemRegion(
      String name, String key, long offset, long byteSize, CallContext context) {
    return post(
        Paths.regions(false, name) + "/register",
        Map.of("key", key, "offset", offset, "byte_size", byteSize),
        "registration of region '%s'".formatted(name),
        context);
  }

  @Override
  public Call<@Nullable Object> registerCudaRegion(
      String name, byte[] handle, long deviceId, long byteSize, CallContext context) {
    return post(
        Paths.regions(true, name) + "/register",
        Map.of(
            "raw_handle",
            Map.of("b64", Base64.getEncoder().encodeToString(handle)),
            "device_id",
            deviceId,
            "byte_size",
            byteSize),
        "registration of CUDA region '%s'".formatted(name),
        context);
  }

  @Override
  public Call<@Nullable Object> unregisterRegion(boolean cuda, String name, CallContext context) {
    return post(
        Paths.regions(cuda, name) + "/unregister",
        NOTHING,
        "removal of region '%s'".formatted(name),
        context);
  }

  private Call<@Nullable Object> get(String path, String asked, CallContext context) {
    return answer(exchange.get(path, context), asked, context);
  }

  private Call<@Nullable Object> post(
      String path,
      Map<String, ? extends @Nullable Object> members,
      String asked,
      CallContext context) {
    ByteBuffer document = JsonTree.buffer(json -> JsonTree.write(json, members));
    return answer(
        exchange.post(path, context, "application/json", List.of(document)), asked, context);
  }

  private Call<@Nullable Object> answer(
      HttpRequest.Builder request, String asked, CallContext context) {
    return exchange
        .send(request, context, asked)
        .map(exchange.at(asked), body -> tree(exchange.successful(body, asked)));
  }

  /** The document of a body; null for none. */
  private static @Nullable Object tree(HttpBody body) {
    try {
      return body.length() == 0 ? null : JsonTree.read(body.bytes(), 0, body.length());
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }
}
