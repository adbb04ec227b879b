package io.nereid.benchmarks.micro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.server.codec.json.JsonRequestReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
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
 * What does it cost to read a request with binary tensors? The baseline parses the JSON with
 * Jackson and copies each tensor into leased memory. The reader leaves the tensors in the body, so
 * its time should not depend on their size.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class BinaryDecodeBenchmark {
  private static final long POOL_BYTES = 64L << 20;

  /** The request of {@code simple}, or an image of 224 x 224. */
  public enum Body {
    SIMPLE(2, "INT32", "[1,16]", 64),
    IMAGE(1, "FP32", "[1,3,224,224]", 602_112);

    private final String json;
    private final int binarySize;

    Body(int inputs, String dataType, String shape, int byteSize) {
      var text = new StringBuilder("{\"inputs\":[");
      for (int i = 0; i < inputs; i++) {
        text.append(i == 0 ? "" : ",")
            .append(
                ("{\"name\":\"INPUT%d\",\"datatype\":\"%s\",\"shape\":%s,"
                        + "\"parameters\":{\"binary_data_size\":%d}}")
                    .formatted(i, dataType, shape, byteSize));
      }
      this.json = text.append("]}").toString();
      this.binarySize = inputs * byteSize;
    }
  }

  @Param public Body body = Body.SIMPLE;

  private final Arena arena = Arena.ofShared();
  private final SlabPool pool = new SlabPool(new ArenaAllocator(), POOL_BYTES);
  private final JsonRequestReader reader =
      new JsonRequestReader(JsonRequestReader.DEFAULT_MAX_INPUT_SIZE, SharedRegions.NONE);
  private final JsonFactory jackson = new JsonFactory();
  private byte[] bytes = {};
  private int jsonSize;
  private ReusableBody reusable = new ReusableBody(MemorySegment.NULL);

  /** Creates the body, and checks that the baseline reads all of it. */
  @Setup
  public void place() throws IOException {
    byte[] json = body.json.getBytes(StandardCharsets.US_ASCII);
    jsonSize = json.length;
    bytes = Arrays.copyOf(json, jsonSize + body.binarySize);
    reusable = ReusableBody.of(bytes, jsonSize, arena);
    if (jacksonBaseline() != body.binarySize) {
      throw new AssertionError("Jackson does not find the tensors of " + body);
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
    try (DecodedRequest decoded = reader.read(reusable, jsonSize, "model", pool)) {
      return decoded;
    }
  }

  /** Parses the sizes in the JSON, and copies the tensors into leased memory. */
  @Benchmark
  public long jacksonBaseline() throws IOException {
    long offset = jsonSize;
    try (JsonParser parser = jackson.createParser(bytes, 0, jsonSize)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.FIELD_NAME && parser.currentName().equals("binary_data_size")) {
          parser.nextToken();
          int byteSize = parser.getIntValue();
          try (Lease lease = pool.lease(byteSize)) {
            MemorySegment.copy(reusable.segment(), offset, lease.segment(), 0, byteSize);
          }
          offset += byteSize;
        }
      }
    }
    return offset - jsonSize;
  }
}
