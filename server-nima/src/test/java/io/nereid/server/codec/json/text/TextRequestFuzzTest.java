package io.nereid.server.codec.json.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Any body of a request to a text API. */
class TextRequestFuzzTest {
  private static final ServedTextModel MODEL =
      ServedTextModel.of(
              ModelConfig.of("m", "b")
                  .withSignature(
                      4,
                      List.of(
                          TensorConfig.of("TEXT", DataType.BYTES, Shape.of(1)),
                          TensorConfig.of("QUERY", DataType.BYTES, Shape.of(1))),
                      List.of(
                          TensorConfig.of("SCORE", DataType.FP32, Shape.of(1)),
                          TensorConfig.of("TOKENIZATION", DataType.BYTES, Shape.of(1)),
                          TensorConfig.of("TOKENS", DataType.INT32, Shape.of(1))))
                  .toBuilder()
                  .parameters(Map.of("task", "rerank"))
                  .build())
          .orElseThrow();

  private static final List<Function<TextRequestReader, TextQuestion>> APIS =
      List.of(
          TextRequestReader::embeddings,
          TextRequestReader::vectors,
          TextRequestReader::rerank,
          TextRequestReader::classes,
          TextRequestReader::predictions,
          TextRequestReader::tokens);

  @FuzzTest
  void isReadOrRejected(byte[] body) {
    FuzzedMemory.run(
        body,
        memory -> {
          for (Function<TextRequestReader, TextQuestion> api : APIS) {
            readOrReject(api, body, memory);
          }
        });
  }

  private static void readOrReject(
      Function<TextRequestReader, TextQuestion> api, byte[] body, FuzzedMemory memory) {
    TextLimits limits = MODEL.limits(1 << 16);
    try (TextBody read = TextBody.parse(memory.copyOf(body))) {
      TextQuestion request = api.apply(new TextRequestReader(read, MODEL, limits));
      int texts = request.texts().count();
      assertThat(texts).isBetween(1, 4);
      try (DecodedRequest decoded = request.decoded(MODEL, limits, memory)) {
        for (Tensor input : decoded.inputs()) {
          assertThat(BytesElements.forEach(input.data(), (_, _) -> {})).isEqualTo(texts);
        }
      }
    } catch (InferenceException rejected) {
      assertThat(rejected.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    }
  }
}
