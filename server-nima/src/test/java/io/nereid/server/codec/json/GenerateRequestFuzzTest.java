package io.nereid.server.codec.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonDocument;
import io.nereid.server.codec.json.document.JsonValue;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;

/** Any body of a request of the generate extension. */
class GenerateRequestFuzzTest {
  private static final int MAX_INPUT_SIZE = 1 << 20;

  /** An input of each kind of element, with dimensions that are open and fixed. */
  private static final ModelConfig MODEL =
      ModelConfig.of("m", "b")
          .withSignature(
              4,
              List.of(
                  TensorConfig.of("s", DataType.BYTES, Shape.of(-1)),
                  TensorConfig.of("b", DataType.BOOL, Shape.of(1)),
                  TensorConfig.of("i", DataType.INT8, Shape.of(2, -1)),
                  TensorConfig.of("u", DataType.UINT64, Shape.of(-1, 2)),
                  TensorConfig.of("f", DataType.FP32, Shape.of(-1)),
                  TensorConfig.of("d", DataType.FP64, Shape.of(3)),
                  TensorConfig.of("h", DataType.BF16, Shape.of(-1))),
              List.of());

  private final GenerateRequestReader reader = new GenerateRequestReader(MAX_INPUT_SIZE);

  @FuzzTest
  void isReadOrRejected(byte[] body) {
    FuzzedMemory.run(body, memory -> readOrReject(body, memory));
  }

  private void readOrReject(byte[] body, FuzzedMemory memory) {
    try (DecodedRequest request = reader.read(memory.copyOf(body), MODEL, false, memory)) {
      for (Tensor input : request.inputs()) {
        if (input.byteSize() > 0 && input.dataType() != DataType.BYTES) {
          long count = input.shape().elementCount();
          assertThat(input.byteSize()).isEqualTo(count * input.dataType().byteSize());
        }
      }
      assertWritten(request, memory);
    } catch (InferenceException rejected) {
      assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
    }
  }

  /** The inputs and parameters as a response: it is an object, whatever their names are. */
  private static void assertWritten(DecodedRequest request, FuzzedMemory memory) {
    List<Tensor> whole =
        request.inputs().stream()
            .filter(input -> input.byteSize() > 0 && input.dataType() != DataType.BYTES)
            .toList();
    var response =
        new InferenceResponse(
            new ModelKey("m", 1), request.id(), request.options().parameters(), whole, List.of());
    var sink = new ByteSink(256);
    GenerateResponseWriter.parts(response).writeAll(sink);
    try (Lease text = memory.copyOf(sink.toByteArray())) {
      List<String> names =
          JsonDocument.parse(text.segment())
              .root()
              .members(Integer.MAX_VALUE, "members", Integer.MAX_VALUE)
              .stream()
              .map(JsonValue.Member::name)
              .toList();
      assertThat(names).doesNotHaveDuplicates().contains("model_name", "model_version");
    }
  }
}
