package io.nereid.server.codec.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.Bodies;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonResponseWriter.Form;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are read as they were written, and damaged requests. */
class JsonRoundTripTest {
  private final Bodies bodies = new Bodies();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void readsWhatItWrites(long seed) {
    var random = new SplittableRandom(seed);
    var large = new JsonRequestReader(1 << 20, SharedRegions.NONE);
    for (DataType dataType : DataType.values()) {
      int count = random.nextInt(1, 200);
      boolean binary =
          random.nextBoolean() || dataType.name().endsWith("F16") || dataType == DataType.FP16;
      byte[] content = content(random, dataType, count);
      try (Lease lease = bodies.lease(content)) {
        var output = new Tensor("T", dataType, Shape.of(1, count), lease.segment());
        byte[] response = response(output, binary);
        int jsonSize = response.length - (binary ? content.length : 0);
        byte[] request =
            new String(response, StandardCharsets.ISO_8859_1)
                .replaceFirst("\"outputs\"", "\"inputs\" ")
                .getBytes(StandardCharsets.ISO_8859_1);

        // "inputs" and a blank are as long as "outputs", so the binary data does not move.
        try (DecodedRequest read =
            large.read(bodies.lease(request), jsonSize, "m", false, bodies.pool)) {
          Tensor input = read.inputs().getFirst();
          assertThat(input.dataType()).isEqualTo(dataType);
          assertThat(input.shape()).isEqualTo(output.shape());
          assertThat(Bodies.bytes(input.data())).as(dataType + " " + seed).isEqualTo(content);
        }
      }
    }
    assertThat(bodies.pool.outstanding()).isZero();
  }

  private static byte[] response(Tensor output, boolean binary) {
    var sink = new ByteSink(16);
    JsonResponseWriter.write(
        sink,
        "",
        new ModelKey("m", 1),
        Map.of(),
        List.of(new JsonResponseWriter.Output(output, binary ? Form.BINARY : Form.TEXT)));
    return sink.toByteArray();
  }

  private static byte[] content(SplittableRandom random, DataType dataType, int count) {
    if (dataType == DataType.BYTES) {
      var all = new ByteArrayOutputStream();
      for (int i = 0; i < count; i++) {
        byte[] element = new byte[random.nextInt(20)];
        random.nextBytes(element);
        byte[] encoded = new byte[Integer.BYTES + element.length];
        BytesElements.put(java.lang.foreign.MemorySegment.ofArray(encoded), 0, element);
        all.writeBytes(encoded);
      }
      return all.toByteArray();
    }
    byte[] content = new byte[count * dataType.byteSize()];
    random.nextBytes(content);
    var segment = java.lang.foreign.MemorySegment.ofArray(content);
    for (int i = 0; i < count; i++) {
      switch (dataType) {
        case BOOL -> content[i] &= 1;
        case FP32 ->
            segment.set(Elements.FLOAT, i * 4L, canonical(segment.get(Elements.FLOAT, i * 4L)));
        case FP64 -> {
          double value = segment.get(Elements.DOUBLE, i * 8L);
          segment.set(Elements.DOUBLE, i * 8L, Double.isNaN(value) ? Double.NaN : value);
        }
        default -> {}
      }
    }
    return content;
  }

  /** Makes every NaN the same one, as JSON does. */
  private static float canonical(float value) {
    return Float.isNaN(value) ? Float.NaN : value;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void readsOrRejectsDamagedRequests(long seed) {
    var random = new SplittableRandom(seed);
    List<String> seeds = new ArrayList<>();
    seeds.add(Bodies.input("FP32", "[2,3]", "[[1.5,-2e3,NaN],[Infinity,0.1,123456789.123456789]]"));
    seeds.add(Bodies.input("BYTES", "[3]", "[\"a\\ud83d\\ude00\",\"\\n\\u0000\",\"é\"]"));
    seeds.add(
        "{\"id\":\"x\",\"parameters\":{\"sequence_id\":7,\"k\":[{}]},\"inputs\":[{\"name\":\"A\","
            + "\"shape\":[4],\"datatype\":\"INT8\",\"parameters\":{\"binary_data_size\":4}},"
            + "{\"name\":\"B\",\"shape\":[1],\"datatype\":\"UINT64\",\"data\":[18446744073709551615]}],"
            + "\"outputs\":[{\"name\":\"X\",\"parameters\":{\"classification\":2}}]}");
    byte[] spice = "[]{}\",:\\-+.eE019tfnNIu \n\u0000".getBytes(StandardCharsets.ISO_8859_1);
    int values = 0;
    for (int i = 0; i < 4000; i++) {
      byte[] json = seeds.get(i % seeds.size()).getBytes(StandardCharsets.UTF_8);
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        int at = random.nextInt(json.length);
        json[at] =
            random.nextInt(8) == 0 ? (byte) random.nextInt() : spice[random.nextInt(spice.length)];
      }
      byte[] cut =
          random.nextInt(10) == 0
              ? java.util.Arrays.copyOf(json, random.nextInt(json.length))
              : json;
      try (DecodedRequest request =
          bodies.read(cut, i % seeds.size() == 2 ? new byte[4] : new byte[0])) {
        values += request.inputs().size();
      } catch (InferenceException rejected) {
        assertThat(rejected.getMessage()).isNotEmpty();
      }
      assertThat(bodies.pool.outstanding()).as("seed %d, step %d", seed, i).isZero();
    }
    assertThat(values).isPositive();
  }
}
