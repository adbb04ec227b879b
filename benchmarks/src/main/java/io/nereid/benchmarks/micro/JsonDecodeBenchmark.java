package io.nereid.benchmarks.micro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.tensor.Elements;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to read a request in JSON into tensors in leased memory? The baseline copies
 * the numbers from Jackson's streaming parser into a segment; it knows where they are and checks
 * only the grammar. {@code -prof gc} reports allocations.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class JsonDecodeBenchmark {
  private static final long POOL_BYTES = 64L << 20;

  /**
   * Two inputs of 16 integers, or one of floats with the fewest digits or as Python prints them.
   */
  public enum Body {
    SIMPLE(simple(), Integer.BYTES * 16),
    SHORT_16(shortDigits(16), Float.BYTES * 16),
    TOLIST_16(toListDigits(16), Float.BYTES * 16),
    SHORT_1000(shortDigits(1000), Float.BYTES * 1000),
    TOLIST_1000(toListDigits(1000), Float.BYTES * 1000),
    SHORT_IMAGE(shortDigits(150_528), Float.BYTES * 150_528),
    TOLIST_IMAGE(toListDigits(150_528), Float.BYTES * 150_528);

    private final String json;
    private final int tensorByteSize;

    Body(String json, int tensorByteSize) {
      this.json = json;
      this.tensorByteSize = tensorByteSize;
    }

    private static String simple() {
      String numbers = IntStream.range(0, 16).mapToObj(String::valueOf).collect(joined());
      return "{\"inputs\":[%s,%s]}"
          .formatted(input("INPUT0", "INT32", 16, numbers), input("INPUT1", "INT32", 16, numbers));
    }

    private static String shortDigits(int count) {
      float[] values = values(count);
      return floats(count, k -> Float.toString(values[k]));
    }

    /** Floats with the digits of doubles, as {@code ndarray.tolist()} makes Python print them. */
    private static String toListDigits(int count) {
      float[] values = values(count);
      return floats(count, k -> Double.toString(values[k]));
    }

    private static String floats(int count, IntFunction<String> text) {
      String numbers = IntStream.range(0, count).mapToObj(text).collect(joined());
      return "{\"inputs\":[%s]}".formatted(input("INPUT0", "FP32", count, numbers));
    }

    private static String input(String name, String dataType, int count, String numbers) {
      return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":[1,%d],\"data\":[%s]}"
          .formatted(name, dataType, count, numbers);
    }

    private static Collector<CharSequence, ?, String> joined() {
      return Collectors.joining(",");
    }

    /** Values of a normalised image: a standard normal distribution. */
    private static float[] values(int count) {
      var random = new Random(1);
      float[] values = new float[count];
      for (int k = 0; k < count; k++) {
        values[k] = (float) random.nextGaussian();
      }
      return values;
    }
  }

  @Param public Body body = Body.SIMPLE;

  private final Arena arena = Arena.ofShared();
  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final JsonRequestReader reader =
      new JsonRequestReader(JsonRequestReader.DEFAULT_MAX_INPUT_SIZE, SharedRegions.NONE);
  private final JsonFactory jackson =
      JsonFactory.builder().enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();
  private byte[] json = {};
  private ReusableBody reusable = new ReusableBody(MemorySegment.NULL);

  /** Creates the body, and checks that benchmark and baseline read the same numbers. */
  @Setup
  public void place() throws IOException {
    json = body.json.getBytes(StandardCharsets.US_ASCII);
    reusable = ReusableBody.of(json, json.length, arena);
    try (DecodedRequest decoded = reader.read(reusable, json.length, "model", pool);
        Lease lease = pool.lease(body.tensorByteSize)) {
      readByJackson(lease.segment());
      if (decoded.inputs().getLast().data().mismatch(lease.segment()) >= 0) {
        throw new AssertionError("Jackson reads other numbers from " + body);
      }
    }
  }

  /** Frees all memory. */
  @TearDown
  public void close() {
    pool.close();
    arena.close();
  }

  /** Reads the body as the HTTP transport does. */
  @Benchmark
  public DecodedRequest read() {
    try (DecodedRequest decoded = reader.read(reusable, json.length, "model", pool)) {
      return decoded;
    }
  }

  /** Copies the last array of numbers into leased memory. */
  @Benchmark
  public long jacksonBaseline() throws IOException {
    try (Lease lease = pool.lease(body.tensorByteSize)) {
      return readByJackson(lease.segment());
    }
  }

  private long readByJackson(MemorySegment target) throws IOException {
    long offset = 0;
    try (JsonParser parser = jackson.createParser(json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.FIELD_NAME && parser.currentName().equals("data")) {
          parser.nextToken();
          offset = readArray(parser, target);
        }
      }
    }
    return offset;
  }

  private static long readArray(JsonParser parser, MemorySegment target) throws IOException {
    long offset = 0;
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      if (token == JsonToken.VALUE_NUMBER_INT) {
        target.set(Elements.INT, offset, parser.getIntValue());
      } else {
        target.set(Elements.FLOAT, offset, parser.getFloatValue());
      }
      offset += Float.BYTES;
    }
    return offset;
  }
}
