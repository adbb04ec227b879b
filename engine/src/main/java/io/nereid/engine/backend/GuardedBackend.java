package io.nereid.engine.backend;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.spi.OwnCalls;
import io.nereid.spi.SharedDeviceMemory;
import io.nereid.spi.metrics.MetricStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A backend as the server calls it: whatever its methods do, they return what the contract says or
 * throw an {@link InferenceException}, and so do those of its models. Not of its instances, whose
 * executions are guarded where they run. A call that does not return is bounded by who calls.
 */
final class GuardedBackend implements Backend {
  /** For calls that are for no model. */
  private static final String NO_MODEL = "";

  private final String name;
  private final Backend backend;
  final BackendCalls calls;
  private final MetricStore metrics;

  /** Models and memory that are not closed. */
  private final AtomicInteger open = new AtomicInteger();

  /**
   * @param metrics in which it has those of its models
   */
  GuardedBackend(String name, Backend backend, BackendCalls calls, MetricStore metrics) {
    this.name = name;
    this.backend = backend;
    this.calls = calls;
    this.metrics = metrics;
  }

  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    return calls.call(config.name(), "Backend.complete", () -> backend.complete(files, config));
  }

  @Override
  public List<String> warnings(ModelConfig config) {
    return calls.list(config.name(), "Backend.warnings", () -> backend.warnings(config));
  }

  @Override
  public boolean runsCodeOf(ModelConfig config) {
    return calls.call(config.name(), "Backend.runsCodeOf", () -> backend.runsCodeOf(config));
  }

  @Override
  public int defaultInstanceCount(InstanceSettings.Kind kind) {
    return calls.call(
        NO_MODEL, "Backend.defaultInstanceCount", () -> backend.defaultInstanceCount(kind));
  }

  @Override
  public List<Integer> gpus() {
    return calls.list(NO_MODEL, "Backend.gpus", backend::gpus);
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    return guarded(files, config, () -> backend.load(files, config));
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config, OwnCalls own) {
    return guarded(files, config, () -> backend.load(files, config, own));
  }

  private Model guarded(ModelFiles files, ModelConfig config, Supplier<@Nullable Model> load) {
    String model = config.name();
    metrics.begin(name, model, files.version());
    try {
      Model loaded = calls.call(model, "Backend.load", load);
      open.incrementAndGet();
      return new GuardedModel(model, loaded, calls, () -> closed(model, files.version()));
    } catch (RuntimeException | Error failed) {
      metrics.end(name, model, files.version());
      throw failed;
    }
  }

  private void closed(String model, long version) {
    metrics.end(name, model, version);
    open.decrementAndGet();
  }

  @Override
  public void cancelLoads() {
    calls.run(NO_MODEL, "Backend.cancelLoads", backend::cancelLoads);
  }

  @Override
  public SharedDeviceMemory openSharedMemory(int gpu, byte[] handle, long byteSize) {
    SharedDeviceMemory memory =
        calls.call(
            NO_MODEL,
            "Backend.openSharedMemory",
            () -> backend.openSharedMemory(gpu, handle, byteSize));
    open.incrementAndGet();
    return new GuardedDeviceMemory(memory, calls, open::decrementAndGet);
  }

  @Override
  public void close() {
    calls.run(NO_MODEL, "Backend.close", backend::close);
  }

  /** Whether nothing of it is in use, so that it may be closed. */
  boolean isIdle() {
    return open.get() == 0 && calls.isIdle();
  }

  /** The method in which a call for a model is at present; null if there is none. */
  @Nullable String running(String model) {
    return calls.running(model);
  }
}
