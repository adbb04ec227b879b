package io.nereid.server.request.validation;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.validation.RequestValidator;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.server.codec.json.RawRequestReader;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Any shape and bytes of an input: what a model gets has the bytes that its shape says. */
class AcceptedRequestFuzzTest {
  private static final int HEAD = 4;

  /**
   * The first bytes of an input: the type; the rank of the shape; whether the model batches; a
   * shift of the dimensions, of which each has one more byte.
   */
  @FuzzTest
  void hasTheBytesThatItsShapeSays(byte[] input) {
    if (input.length < HEAD) {
      return;
    }
    DataType type = type(input[0]);
    int rank = Math.min(Math.floorMod(input[1], 5), input.length - HEAD);
    long[] dims = new long[rank];
    for (int i = 0; i < rank; i++) {
      dims[i] = (long) input[HEAD + i] << (input[3] & 63);
    }
    long[] wildcards = new long[rank];
    Arrays.fill(wildcards, Shape.WILDCARD);
    boolean batches = rank > 0 && input[2] != 0;
    ModelConfig model =
        model(type, batches ? Arrays.copyOf(wildcards, rank - 1) : wildcards, batches ? 4 : 0);
    byte[] data = Arrays.copyOfRange(input, HEAD + rank, input.length);
    var tensor = new Tensor("A", type, Shape.of(dims), MemorySegment.ofArray(data));
    FuzzedMemory.run(input, _ -> validate(model, "", List.of(tensor)));
  }

  /** The first byte of an input is the type, the second and third are the model's dimensions. */
  @FuzzTest
  void isMadeOfARawBody(byte[] input) {
    if (input.length < HEAD) {
      return;
    }
    long[] dims = Arrays.copyOf(new long[] {input[1], input[2]}, Math.floorMod(input[3], 3));
    for (int i = 0; i < dims.length; i++) {
      dims[i] = Math.max(dims[i], Shape.WILDCARD);
    }
    ModelConfig model = model(type(input[0]), dims, input[3] < 0 ? 4 : 0);
    byte[] body = Arrays.copyOfRange(input, HEAD, input.length);
    FuzzedMemory.run(
        input,
        memory -> {
          try (DecodedRequest request = RawRequestReader.read(memory.copyOf(body), model, memory)) {
            validate(model, request.id(), request.inputs());
          } catch (InferenceException rejected) {
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          }
        });
  }

  private static DataType type(byte number) {
    DataType[] types = DataType.values();
    return types[Math.floorMod(number, types.length)];
  }

  private static ModelConfig model(DataType type, long[] dims, int maxBatchSize) {
    TensorConfig input = TensorConfig.of("A", type, Shape.of(dims));
    return ModelConfig.of("m", "b").withSignature(maxBatchSize, List.of(input), List.of());
  }

  private static void validate(ModelConfig model, String id, List<Tensor> inputs) {
    var options = new RequestOptions(SequenceId.NONE, false, false, 0, 0, Map.of());
    var request = new InferenceRequest(new ModelKey("m", 1), id, inputs, List.of(), options);
    long rows = request.rows(model); // asked before the request is checked
    try {
      new RequestValidator(model, false).validate(request);
    } catch (InferenceException rejected) {
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
      return;
    }
    assertThat(rows).isBetween(0L, model.batches() ? (long) model.maxBatchSize() : 1);
    for (Tensor tensor : inputs) {
      long count = tensor.shape().elementCount();
      if (tensor.dataType() == DataType.BYTES) {
        assertThat(elements(tensor)).isEqualTo(count);
      } else {
        assertThat(tensor.byteSize()).isEqualTo(count * tensor.dataType().byteSize());
      }
    }
  }

  /** Reads all bytes of all elements. */
  private static long elements(Tensor tensor) {
    return BytesElements.forEach(
        tensor.data(),
        (offset, byteSize) -> {
          for (long i = 0; i < byteSize; i++) {
            tensor.data().get(Elements.BYTE, offset + i);
          }
        });
  }
}
