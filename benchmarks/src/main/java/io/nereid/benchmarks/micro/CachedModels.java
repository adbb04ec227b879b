package io.nereid.benchmarks.micro;

import io.nereid.benchmarks.ExampleModels;
import io.nereid.engine.Engine;
import io.nereid.engine.EngineBuilder;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** {@code simple} and {@code identity_fp32}, both with {@code response_cache}. For one thread. */
final class CachedModels implements AutoCloseable {
  private static final int SIMPLE_COUNT = 16;
  private static final int IMAGE = 3 * 224 * 224;
  private static final String CACHED = "\nresponse_cache { enable: true }\n";

  private final ExampleModels models =
      ExampleModels.create("nereid-cache")
          .add("simple", "simple", CACHED)
          .add("identity_fp32", "identity_fp32", CACHED);
  private final Engine engine;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment numbers =
      arena.allocate((long) SIMPLE_COUNT * Integer.BYTES, Long.BYTES);
  private final ModelRequest simple =
      ModelRequest.to("simple")
          .input("INPUT0", DataType.INT32, Shape.of(1, SIMPLE_COUNT), numbers)
          .input("INPUT1", DataType.INT32, Shape.of(1, SIMPLE_COUNT), numbers)
          .build();
  private final ModelRequest image =
      ModelRequest.to("identity_fp32")
          .input(
              "INPUT0",
              DataType.FP32,
              Shape.of(IMAGE),
              arena.allocate((long) IMAGE * Float.BYTES, Long.BYTES))
          .build();

  /**
   * Loads the models from a directory that {@link #close} deletes.
   *
   * @param cacheBytes the size of the local cache; 0 for none
   */
  CachedModels(long cacheBytes) throws IOException {
    EngineBuilder settings = Engine.builder().repository(models.repository());
    if (cacheBytes != 0) {
      settings.cacheSetting("local", "size", Long.toString(cacheBytes));
    }
    engine = settings.open();
  }

  /** A request of {@code simple} whose first element is {@code number}. */
  long simple(int number) {
    numbers.set(Elements.INT, 0, number);
    return call(simple);
  }

  /** A request of {@code identity_fp32} of the size of an image. */
  long image() {
    return call(image);
  }

  private long call(ModelRequest request) {
    try (ModelResponse response = engine.infer(request)) {
      return response.outputs().getFirst().byteSize();
    }
  }

  /** Statistics of the requests of {@code simple}. */
  StatisticsSnapshot.Requests statistics() {
    return engine.statistics().stream()
        .filter(each -> each.model().name().equals("simple"))
        .findFirst()
        .orElseThrow()
        .requests();
  }

  @Override
  public void close() throws IOException {
    engine.close();
    arena.close();
    models.close();
  }
}
