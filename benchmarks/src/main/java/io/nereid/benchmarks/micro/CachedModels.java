package io.nereid.benchmarks.micro;

import io.nereid.engine.InferenceEngine;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.cache.LocalCacheProvider;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.execution.affinity.HostPolicies;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelRegistry;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.ModelManager;
import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.engine.model.loading.LoaderSettings;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SystemClock;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.request.RequestOptions;
import io.nereid.spi.cache.CacheSettings;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code simple} and {@code identity_fp32}, both with {@code response_cache}. */
final class CachedModels {
  private static final int QUEUE_CAPACITY = 16;
  private static final long POOL_BYTES = 1L << 28;
  private static final int SIMPLE_COUNT = 16;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final SystemClock clock = SystemClock.start();
  private final Path repository = Files.createTempDirectory("nereid-cache");
  private final BackendCatalog backends =
      new BackendCatalog(repository.resolve("no-such-folder"), Map.of());
  private final Optional<ResponseCaching> caching;
  private final InferenceEngine engine;
  private final ModelManager manager;
  private final LoadedModel simple;
  private final LoadedModel identity;

  /**
   * Loads the models as the server does, from a directory that {@link #close} deletes.
   *
   * @param cacheBytes the size of the local cache; 0 for none
   */
  CachedModels(long cacheBytes) throws IOException {
    copy("simple");
    copy("identity_fp32");
    caching =
        cacheBytes == 0
            ? Optional.empty()
            : Optional.of(
                new ResponseCaching(
                    new LocalCacheProvider()
                        .open(new CacheSettings(Map.of("size", Long.toString(cacheBytes)))),
                    pool,
                    clock::nanos));
    var registry = new ModelRegistry();
    engine = new InferenceEngine(registry, clock, () -> true, true);
    manager =
        new ModelManager(
            List.of(new LocalRepository(repository)),
            ControlSettings.of(1),
            registry,
            new LoaderSettings(
                engine,
                backends,
                pool,
                POOL_BYTES,
                QueueLimits.of(QUEUE_CAPACITY),
                clock,
                DecisionJournal.NONE,
                RateLimiter.OFF,
                HostPolicies.NONE,
                LatencyMetrics.NONE,
                caching));
    if (!manager.loadAll()) {
      throw new IllegalStateException("not all models load");
    }
    simple = registry.find("simple", OptionalLong.empty());
    identity = registry.find("identity_fp32", OptionalLong.empty());
  }

  private void copy(String model) throws IOException {
    Path version = Files.createDirectories(repository.resolve(model).resolve("1"));
    Files.write(version.resolve("model.onnx"), LoadedModels.example(model + "/1/model.onnx"));
    String config =
        new String(LoadedModels.example(model + "/config.pbtxt"), StandardCharsets.UTF_8);
    Files.writeString(
        repository.resolve(model).resolve("config.pbtxt"),
        config + "\nresponse_cache { enable: true }\n");
  }

  /** A request of {@code simple} whose first element is {@code number}. */
  long simple(int number) {
    List<Lease> leases = new ArrayList<>(2);
    List<Tensor> inputs = new ArrayList<>(2);
    for (String name : List.of("INPUT0", "INPUT1")) {
      Lease lease = pool.lease((long) SIMPLE_COUNT * Integer.BYTES);
      lease.segment().fill((byte) 0);
      lease.segment().set(Elements.INT, 0, number);
      leases.add(lease);
      inputs.add(new Tensor(name, DataType.INT32, Shape.of(1, SIMPLE_COUNT), lease.segment()));
    }
    return call(simple, inputs, leases);
  }

  /** A request of {@code identity_fp32} of so many elements, all of them zeros. */
  long identity(int count) {
    Lease lease = pool.lease((long) count * Float.BYTES);
    lease.segment().fill((byte) 0);
    var input = new Tensor("INPUT0", DataType.FP32, Shape.of(count), lease.segment());
    return call(identity, List.of(input), List.of(lease));
  }

  private long call(LoadedModel model, List<Tensor> inputs, List<Lease> leases) {
    var decoded = new DecodedRequest("", inputs, List.of(), RequestOptions.NONE, true, leases);
    var receiver = new AwaitedResponse();
    var promise = new ResponsePromise(receiver);
    engine.submit(model, OptionalLong.empty(), decoded, promise, InferenceEngine.NO_LIMIT);
    try (InferenceResponse response = receiver.await(promise)) {
      return response.outputs().getFirst().byteSize();
    }
  }

  /** Look-ups that found a response. */
  long hits() {
    return caching.map(cache -> cache.metrics().hits()).orElse(0L);
  }

  /** Look-ups that found none. */
  long misses() {
    return caching.map(cache -> cache.metrics().misses()).orElse(0L);
  }

  void close() throws IOException {
    manager.close();
    backends.close();
    caching.ifPresent(ResponseCaching::close);
    clock.close();
    pool.close();
    LoadedModels.delete(repository);
  }
}
