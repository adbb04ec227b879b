package io.nereid.benchmarks.micro;

import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.engine.EngineParts;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.request.RequestOptions;
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
import java.util.OptionalLong;

/** {@code simple} and {@code identity_fp32}, both with {@code response_cache}. */
final class CachedModels {
  private static final int QUEUE_CAPACITY = 16;
  private static final long POOL_BYTES = 1L << 28;
  private static final int SIMPLE_COUNT = 16;

  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final Path repository = Files.createTempDirectory("nereid-cache");
  private final EngineParts engine;
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
    EngineBuilder settings =
        Engine.builder().repository(repository).maxQueuedRequests(QUEUE_CAPACITY);
    if (cacheBytes != 0) {
      settings.cacheSetting("local", "size", Long.toString(cacheBytes));
    }
    engine = LoadedModels.start(settings, pool);
    simple = engine.admission().model("simple", OptionalLong.empty());
    identity = engine.admission().model("identity_fp32", OptionalLong.empty());
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
    engine
        .admission()
        .submit(model, OptionalLong.empty(), decoded, promise, RequestAdmission.NO_LIMIT);
    try (InferenceResponse response = receiver.await(promise)) {
      return response.outputs().getFirst().byteSize();
    }
  }

  /** Look-ups that found a response. */
  long hits() {
    return engine.caching().map(cache -> cache.metrics().hits()).orElse(0L);
  }

  /** Look-ups that found none. */
  long misses() {
    return engine.caching().map(cache -> cache.metrics().misses()).orElse(0L);
  }

  void close() throws IOException {
    engine.close();
    LoadedModels.delete(repository);
  }
}
