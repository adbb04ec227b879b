package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.InferenceEngine;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.config.ConfigLimits;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.error.InferenceException;
import io.nereid.request.RequestOptions;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The server without its front ends: engine, schedulers, instances and model manager, in explicit
 * mode. Its close fails if a lease is outstanding.
 */
final class EmbeddedServer implements AutoCloseable {
  private static final int QUEUE_CAPACITY = 1 << 12;
  private static final long POOL_BYTES = 1L << 28;

  private final BufferPool pool = new CheckedBufferPool();
  private final SystemClock clock = SystemClock.start();
  private final ModelRegistry registry = new ModelRegistry();
  private final BackendCatalog backends;
  private final InferenceEngine engine = new InferenceEngine(registry, clock, () -> true, true);
  private final ModelManager manager;

  /**
   * @param repository of the models
   * @param backendDirectory with jars of backends; need not exist
   * @param options of the backend {@code tensorrt}
   */
  EmbeddedServer(Path repository, Path backendDirectory, Map<String, String> options) {
    backends = new BackendCatalog(backendDirectory, Map.of("tensorrt", options));
    manager =
        new ModelManager(
            List.of(new LocalRepository(repository)),
            new ControlSettings(
                ControlMode.EXPLICIT,
                List.of(),
                Duration.ZERO,
                true,
                1,
                0,
                true,
                Optional.empty(),
                false,
                ConfigLimits.DEFAULT),
            registry,
            LoaderSettings.of(engine, backends, pool, POOL_BYTES, QUEUE_CAPACITY, clock));
  }

  /**
   * Loads a model, or loads it again.
   *
   * @throws io.nereid.error.InferenceException why it cannot be loaded
   */
  LoadedModel load(String model) {
    manager.load(model, LoadParameters.NONE);
    return registry.find(model, OptionalLong.empty());
  }

  /** Unloads a model once its last request has ended. */
  void unload(String model) {
    manager.unload(model, false);
  }

  /** Submits a request for all outputs as a front end does; the inputs are copied. */
  Answer submit(LoadedModel model, List<Tensor> inputs) {
    var answer = new Answer();
    try {
      DecodedRequest decoded = decoded(model.inputPool(), inputs);
      var promise = new ResponsePromise(answer);
      answer.cancelWith(promise::cancel);
      engine.submit(model, OptionalLong.empty(), decoded, promise, InferenceEngine.NO_LIMIT);
    } catch (InferenceException noMemory) {
      answer.fail(noMemory);
    }
    return answer;
  }

  private static DecodedRequest decoded(BufferPool pool, List<Tensor> inputs) {
    List<Lease> leases = new ArrayList<>();
    List<Tensor> leased = new ArrayList<>();
    try {
      for (Tensor input : inputs) {
        Lease lease = pool.lease(input.byteSize());
        leases.add(lease);
        Elements.copy(input.data(), lease.segment());
        leased.add(new Tensor(input.name(), input.dataType(), input.shape(), lease.segment()));
      }
    } catch (InferenceException noMemory) {
      leases.forEach(Lease::close);
      throw noMemory;
    }
    return new DecodedRequest("", leased, List.of(), RequestOptions.NONE, true, leases);
  }

  @Override
  public void close() {
    manager.close();
    backends.close();
    clock.close();
    assertThat(pool.outstanding()).as("outstanding leases").isZero();
  }
}
