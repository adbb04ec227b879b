package io.nereid.client.engine;

import static java.util.Map.entry;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.Management;
import io.nereid.client.NereidException;
import io.nereid.config.ModelConfig;
import io.nereid.engine.Engine;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.error.InferenceException;
import io.nereid.tensor.TensorSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All calls but inferences, as trees with the protocol's names. */
final class EngineManagement implements Management {
  private final EngineTransport transport;
  private final Engine engine;

  EngineManagement(EngineTransport transport) {
    this.transport = transport;
    this.engine = transport.engine();
  }

  /** Does on a thread of its own what the engine may need long for. */
  private <R extends @Nullable Object> Call<R> run(
      String what, CallContext context, Supplier<R> action) {
    Call<R> call = new Call<>();
    EngineTransport.THREADS.execute(() ->
        call.guard(() -> {
          try {
            transport.requireOpen(what, context);
            call.complete(action.get());
          } catch (InferenceException failure) {
            call.completeExceptionally(EngineFailures.of(failure, transport.asked(what), context));
          }
        }));
    return call;
  }

  private Call<@Nullable Object> change(String what, CallContext context, Runnable action) {
    return run(
        what,
        context,
        () -> {
          action.run();
          return null;
        });
  }

  private <R extends @Nullable Object> Call<R> refuse(String what, String sentence) {
    return Call.failed(
        NereidException.unimplemented(
            transport.asked(what), "an engine in this process " + sentence));
  }

  @Override
  public Call<Boolean> isLive(CallContext context) {
    return run("liveness of the engine", context, () -> true);
  }

  @Override
  public Call<Boolean> isReady(CallContext context) {
    return run("readiness of the engine", context, engine::isReady);
  }

  @Override
  public Call<Boolean> isModelReady(String model, String version, CallContext context) {
    return run(
        "readiness of model '%s'".formatted(model),
        context,
        () -> version.isEmpty() ? engine.isReady(model) : readyVersions(model).contains(version));
  }

  private List<String> readyVersions(String model) {
    return index(/* readyOnly= */ true)
        .filter(each -> each.name().equals(model))
        .map(EngineManagement::version)
        .toList();
  }

  private Stream<ModelIndexEntry> index(boolean readyOnly) {
    return engine.index().stream()
        .filter(each ->
            !readyOnly || each.state().filter(ModelIndexEntry.State.READY::equals).isPresent());
  }

  private static String version(ModelIndexEntry entry) {
    return entry.version().isPresent() ? Long.toString(entry.version().getAsLong()) : "";
  }

  @Override
  public Call<@Nullable Object> serverMetadata(CallContext context) {
    return run(
        "metadata of the engine",
        context,
        () ->
            Map.ofEntries(
                entry("name", "nereid"),
                entry(
                    "version",
                    Objects.requireNonNullElse(
                        Engine.class.getPackage().getImplementationVersion(), "development")),
                entry(
                    "extensions",
                    List.of("sequence", "model_repository", "schedule_policy", "statistics"))));
  }

  @Override
  public Call<@Nullable Object> modelMetadata(String model, String version, CallContext context) {
    return run(
        "metadata of model '%s'".formatted(model),
        context,
        () -> {
          ModelConfig config = engine.configuration(model);
          List<String> ready = readyVersions(model);
          if (!version.isEmpty() && !ready.contains(version)) {
            throw InferenceException.unavailable(
                "Request for unknown model: '%s' version %s is not at ready state"
                    .formatted(model, version));
          }
          return Map.ofEntries(
              entry("name", model),
              entry("versions", version.isEmpty() ? ready : List.of(version)),
              entry("platform", config.platform().isEmpty() ? config.backend() : config.platform()),
              entry("inputs", tensors(config.inputSpecs())),
              entry("outputs", tensors(config.outputSpecs())));
        });
  }

  private static List<?> tensors(List<TensorSpec> specs) {
    return specs.stream()
        .map(spec ->
            Map.ofEntries(
                entry("name", spec.name()),
                entry("datatype", spec.dataType().name()),
                entry("shape", Arrays.stream(spec.shape().dims()).boxed().toList())))
        .toList();
  }

  @Override
  public Call<@Nullable Object> modelConfig(String model, String version, CallContext context) {
    return refuse(
        "configuration of model '%s'".formatted(model),
        "has configurations as objects: Engine.configuration");
  }

  @Override
  public Call<@Nullable Object> statistics(String model, String version, CallContext context) {
    return run(
        model.isEmpty() ? "statistics of all models" : "statistics of model '%s'".formatted(model),
        context,
        () -> {
          if (!model.isEmpty()) {
            var _ = engine.configuration(model); // which fails if there is none
          }
          List<StatisticsSnapshot> all =
              engine.statistics().stream()
                  .filter(each -> model.isEmpty() || each.model().name().equals(model))
                  .filter(each ->
                      version.isEmpty() || Long.toString(each.model().version()).equals(version))
                  .toList();
          return Map.of("model_stats", StatisticsTree.of(all));
        });
  }

  @Override
  public Call<@Nullable Object> index(boolean readyOnly, CallContext context) {
    return run(
        "index of the repository",
        context,
        () ->
            index(readyOnly)
                .map(each ->
                    Map.ofEntries(
                        entry("name", each.name()),
                        entry("version", version(each)),
                        entry("state", each.state().map(Enum::name).orElse("")),
                        entry("reason", each.reason())))
                .toList());
  }

  @Override
  public Call<@Nullable Object> load(
      String model, String config, Map<String, byte[]> files, CallContext context) {
    String what = "load of model '%s'".formatted(model);
    if (!config.isEmpty() || !files.isEmpty()) {
      return refuse(what, "loads models of its repositories as they are there");
    }
    return change(what, context, () -> engine.load(model));
  }

  @Override
  public Call<@Nullable Object> unload(String model, boolean dependents, CallContext context) {
    String what = "unload of model '%s'".formatted(model);
    if (dependents) {
      return refuse(what, "unloads the models of an ensemble one by one");
    }
    return change(what, context, () -> engine.unload(model));
  }

  @Override
  public Call<@Nullable Object> traceSettings(
      String model, Map<String, List<String>> changes, CallContext context) {
    return refuse("trace settings", "has no settings of traces");
  }

  @Override
  public Call<@Nullable Object> logSettings(Map<String, Object> changes, CallContext context) {
    return refuse("log settings", "logs by System.Logger, which the program configures");
  }

  private Call<@Nullable Object> noRegions(String what) {
    return refuse(what, "has no regions of shared memory");
  }

  @Override
  public Call<@Nullable Object> regions(boolean cuda, String name, CallContext context) {
    return noRegions("regions of shared memory");
  }

  @Override
  public Call<@Nullable Object> registerSystemRegion(
      String name, String key, long offset, long byteSize, CallContext context) {
    return noRegions("registration of region '%s'".formatted(name));
  }

  @Override
  public Call<@Nullable Object> registerCudaRegion(
      String name, byte[] handle, long deviceId, long byteSize, CallContext context) {
    return noRegions("registration of CUDA region '%s'".formatted(name));
  }

  @Override
  public Call<@Nullable Object> unregisterRegion(boolean cuda, String name, CallContext context) {
    return noRegions("removal of region '%s'".formatted(name));
  }
}
