package io.nereid.benchmarks.micro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
 * What does it cost to write a response with tensors in native memory as JSON? The baseline is
 * Jackson's generator. {@code -prof gc} reports allocations.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class JsonWriteBenchmark {
  private static final ModelKey MODEL = new ModelKey("model", 1);
  private static final int CAPACITY = 512;

  /** A response with two outputs of 16 integers, or one of floats. */
  public enum Response {
    SIMPLE,
    FLOATS_16,
    FLOATS_1000;

    private List<JsonResponseWriter.Output> outputs(Arena arena) {
      return switch (this) {
        case SIMPLE -> List.of(integers("OUTPUT0", arena), integers("OUTPUT1", arena));
        case FLOATS_16 -> List.of(floats(16, arena));
        case FLOATS_1000 -> List.of(floats(1000, arena));
      };
    }

    private static JsonResponseWriter.Output integers(String name, Arena arena) {
      MemorySegment data = arena.allocate(16 * Integer.BYTES, Integer.BYTES);
      for (int k = 0; k < 16; k++) {
        data.set(Elements.INT, (long) k * Integer.BYTES, 2 * k);
      }
      return new JsonResponseWriter.Output(
          new Tensor(name, DataType.INT32, Shape.of(1, 16), data), JsonResponseWriter.Form.TEXT);
    }

    private static JsonResponseWriter.Output floats(int count, Arena arena) {
      var random = new Random(1);
      MemorySegment data = arena.allocate((long) count * Float.BYTES, Float.BYTES);
      for (int k = 0; k < count; k++) {
        data.set(Elements.FLOAT, (long) k * Float.BYTES, (float) random.nextGaussian());
      }
      return new JsonResponseWriter.Output(
          new Tensor("OUTPUT0", DataType.FP32, Shape.of(1, count), data),
          JsonResponseWriter.Form.TEXT);
    }
  }

  @Param public Response response = Response.SIMPLE;

  private final Arena arena = Arena.ofShared();
  private final JsonFactory jackson =
      JsonFactory.builder().enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER).build();
  private List<JsonResponseWriter.Output> outputs = List.of();

  /** Creates the tensors, and checks that benchmark and baseline write the same integers. */
  @Setup
  public void place() throws IOException {
    outputs = response.outputs(arena);
    String written = write().toString();
    String expected = jacksonBaseline().toString(StandardCharsets.US_ASCII);
    // Floats may differ, because Jackson uses exponents for other magnitudes.
    if (response == Response.SIMPLE && !written.equals(expected)) {
      throw new AssertionError("%s where Jackson writes %s".formatted(written, expected));
    }
  }

  /** Frees the tensors. */
  @TearDown
  public void close() {
    arena.close();
  }

  /** Writes into a new array, as the HTTP transport does. */
  @Benchmark
  public ByteSink write() {
    var sink = new ByteSink(CAPACITY);
    JsonResponseWriter.write(sink, "", MODEL, Map.of(), outputs);
    return sink;
  }

  /** Writes the same text into a new array. */
  @Benchmark
  public ByteArrayOutputStream jacksonBaseline() throws IOException {
    var target = new ByteArrayOutputStream(CAPACITY);
    try (JsonGenerator json = jackson.createGenerator(target)) {
      json.writeStartObject();
      json.writeStringField("model_name", MODEL.name());
      json.writeStringField("model_version", Long.toString(MODEL.version()));
      json.writeArrayFieldStart("outputs");
      for (JsonResponseWriter.Output output : outputs) {
        writeByJackson(json, output.tensor());
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return target;
  }

  private static void writeByJackson(JsonGenerator json, Tensor tensor) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", tensor.name());
    json.writeStringField("datatype", tensor.dataType().name());
    json.writeArrayFieldStart("shape");
    for (int i = 0; i < tensor.shape().rank(); i++) {
      json.writeNumber(tensor.shape().dim(i));
    }
    json.writeEndArray();
    json.writeArrayFieldStart("data");
    MemorySegment data = tensor.data();
    for (long offset = 0; offset < data.byteSize(); offset += Float.BYTES) {
      if (tensor.dataType() == DataType.FP32) {
        json.writeNumber(data.get(Elements.FLOAT, offset));
      } else {
        json.writeNumber(data.get(Elements.INT, offset));
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
