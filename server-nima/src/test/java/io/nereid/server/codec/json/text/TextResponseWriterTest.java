package io.nereid.server.codec.json.text;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Outputs of models that are not what their task promises. */
class TextResponseWriterTest {
  private static final ModelConfig RANKER =
      ModelConfig.of("ranker", "b").toBuilder()
          .parameters(Map.of("task", "rerank"))
          .build()
          .withSignature(
              8,
              List.of(TensorConfig.of("TEXT", DataType.BYTES, Shape.of(1))),
              List.of(
                  TensorConfig.of("SCORE", DataType.FP32, Shape.of(2)),
                  TensorConfig.of("TOKENS", DataType.INT32, Shape.of(1))));

  private static List<TextAnswer> rankings() {
    return List.of(new TextAnswer.Ranking(Long.MAX_VALUE, null), new TextAnswer.TeiRanking(null));
  }

  /** The index of the fourth score would be that of a text that there is not. */
  @ParameterizedTest
  @MethodSource("rankings")
  void aRankerGivesOneScoreForEachText(TextAnswer answer) {
    var scores =
        new Tensor(
            "SCORE",
            DataType.FP32,
            Shape.of(2, 2),
            MemorySegment.ofArray(new float[] {0.1f, 0.2f, 0.3f, 0.4f}));
    var response =
        new InferenceResponse(new ModelKey("ranker", 1), "", Map.of(), List.of(scores), List.of());
    var writer =
        new TextResponseWriter(ServedTextModel.of(RANKER).orElseThrow(), response, /* texts= */ 2);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> writer.parts(answer))
        .withMessage("model 'ranker' did not give SCORE for each of 2 texts");
  }
}
