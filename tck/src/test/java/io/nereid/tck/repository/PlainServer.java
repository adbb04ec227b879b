package io.nereid.tck.repository;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.repository.PlainManager.Rejection;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * As much of the REST protocol as the rules of model control use, on a {@link PlainManager}. Its
 * models echo two integers, and {@code simple} adds. One thread serves all requests.
 */
final class PlainServer {
  private final PlainManager models;
  private final Defect defect;

  private PlainServer(List<Path> repositories, Defect defect) {
    this.models = new PlainManager(repositories, defect);
    this.defect = defect;
  }

  static ServerUnderTest start(List<Path> repositories, Defect defect) throws IOException {
    var loopback = InetAddress.getLoopbackAddress();
    var server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
    var plain = new PlainServer(repositories, defect);
    server.createContext("/", plain::handle);
    server.start();
    var address =
        "http://%s:%d".formatted(loopback.getHostAddress(), server.getAddress().getPort());
    return new ServerUnderTest(URI.create(address), "", 0, () -> server.stop(0));
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      int status = 200;
      String response;
      try {
        response = respond(exchange.getRequestURI().getPath().split("/", -1), body);
      } catch (Rejection rejected) {
        status = rejected.status;
        response =
            "{\"error\":\"%s\"}"
                .formatted(Objects.requireNonNull(rejected.getMessage()).replace("\n", "\\n"));
      }
      byte[] bytes = response.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** The segments begin with an empty one. */
  private String respond(String[] path, String body) {
    String last = path[path.length - 1];
    return switch (path[2]) {
      case "health" -> {
        require(models.isReady(), 400, "not ready");
        yield "";
      }
      case "repository" -> repository(path, last, body);
      default -> {
        long version = path.length > 5 ? Long.parseLong(path[5]) : -1;
        yield model(path[3], version, last);
      }
    };
  }

  private String repository(String[] path, String last, String body) {
    Map<?, ?> request = body.isEmpty() ? Map.of() : Json.object(body.getBytes(UTF_8));
    if (last.equals("index")) {
      return models.index(Boolean.TRUE.equals(request.get("ready")));
    }
    // A name with an encoded slash has been decoded with the path.
    String name = String.join("/", List.of(path).subList(4, path.length - 1));
    Map<String, String> parameters = new HashMap<>();
    if (request.get("parameters") instanceof Map<?, ?> given) {
      Object dependents = given.get("unload_dependents");
      require(
          dependents == null
              || dependents instanceof Boolean
              || defect == Defect.UNLOADS_FOR_AN_INVALID_REQUEST,
          400,
          "Unable to parse 'unload_dependents': attempt to access JSON non-boolean as boolean");
      given.forEach((key, value) -> parameters.put(key.toString(), value.toString()));
    }
    if (last.equals("unload")) {
      models.unload(name);
      return "";
    }
    parameters.forEach((key, value) ->
        require(
            !key.startsWith("file:") || !value.contains("!"),
            400,
            "load parameter '%s' is not valid base64".formatted(key)));
    models.load(name, parameters);
    return "";
  }

  private String model(String name, long version, String last) {
    PlainModel model = name.equals("simple") ? null : models.model(name);
    boolean ready = model != null && (version < 0 ? model.isReady() : model.isReady(version));
    return switch (last) {
      case "infer" -> name.equals("simple") ? simple() : infer(name, version, model);
      case "ready" -> {
        require(ready, 400, "Model version not ready");
        yield "";
      }
      case "stats" -> {
        require(ready, 400, "requested model '%s' is not available".formatted(name));
        yield "{\"model_stats\":[{\"inference_count\":%d}]}"
            .formatted(Objects.requireNonNull(model).inferences);
      }
      default -> {
        PlainConfig config = Objects.requireNonNull(model).config;
        yield "{\"name\":\"%s\",\"max_batch_size\":%d,\"instance_group\":[{\"count\":%d}]}"
            .formatted(name, config.maxBatchSize(), config.instances());
      }
    };
  }

  private String infer(String name, long version, @Nullable PlainModel model) {
    String unknown = "Request for unknown model: '%s' ".formatted(name);
    require(model != null, 404, unknown + "is not found");
    PlainModel found = Objects.requireNonNull(model);
    if (defect == Defect.SERVES_AFTER_UNLOAD && !found.isReady()) {
      return "{}";
    }
    require(version >= 0 || found.isReady(), 404, unknown + "has no available versions");
    long serving = version < 0 ? found.newest() : version;
    require(
        found.isReady(serving),
        503,
        unknown + "version %d is not at ready state".formatted(serving));
    found.inferences++;
    return "{\"model_version\":\"%d\",\"outputs\":[{\"name\":\"OUTPUT0\",\"data\":[4,5]}]}"
        .formatted(serving);
  }

  private static String simple() {
    String sums = IntStream.range(0, 16).mapToObj(i -> "" + 2 * i).collect(Collectors.joining(","));
    return "{\"outputs\":[{\"name\":\"OUTPUT0\",\"data\":[%s]}]}".formatted(sums);
  }

  private static void require(boolean fulfilled, int status, String otherwise) {
    if (!fulfilled) {
      throw new Rejection(status, otherwise);
    }
  }
}
