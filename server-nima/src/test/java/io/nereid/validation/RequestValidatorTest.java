package io.nereid.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.Strategy;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.SequenceId;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The texts are Triton's, for clients read them. */
class RequestValidatorTest {
  private static final String NOTE =
      "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to"
          + " be prepended to each input shape. If you want to specify the full shape including the"
          + " batch dim in your input dims config, try setting max_batch_size to zero. See the"
          + " model configuration docs for more info on max_batch_size.";

  private final TensorConfig a = TensorConfig.of("A", DataType.FP32, Shape.of(-1, 2));
  private final TensorConfig b = TensorConfig.of("B", DataType.INT32, Shape.of(3));
  private final RequestValidator batching = validator(8, a, b);

  private static RequestValidator validator(int maxBatchSize, TensorConfig... inputs) {
    return new RequestValidator(
        ModelConfig.of("m", "backend")
            .withSignature(
                maxBatchSize,
                List.of(inputs),
                List.of(
                    TensorConfig.of("X", DataType.FP32, Shape.of(1)),
                    TensorConfig.of("Y", DataType.FP32, Shape.of(1)))));
  }

  private static TensorConfig with(TensorConfig input, boolean optional, boolean shapeTensor) {
    return new TensorConfig(
        input.name(),
        input.dataType(),
        input.dims(),
        Optional.empty(),
        optional,
        false,
        shapeTensor,
        TensorConfig.Format.FORMAT_NONE,
        "");
  }

  private static Tensor tensor(String name, DataType type, int byteSize, long... shape) {
    return new Tensor(name, type, Shape.of(shape), MemorySegment.ofArray(new byte[byteSize]));
  }

  private static Tensor goodA(long rows) {
    return tensor("A", DataType.FP32, (int) rows * 4 * 2 * 4, rows, 4, 2);
  }

  private static Tensor goodB(long rows) {
    return tensor("B", DataType.INT32, (int) rows * 3 * 4, rows, 3);
  }

  private static void assertRefused(RequestValidator validator, String message, Tensor... inputs) {
    assertRefused(validator, List.of(), message, inputs);
  }

  private static void assertRefused(
      RequestValidator validator, List<String> outputs, String message, Tensor... inputs) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> validator.validate("r1", List.of(inputs), outputs, SequenceId.NONE))
        .withMessage(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }

  @Test
  void aGoodRequestPassesInWhateverOrderItsInputsCome() {
    assertThat(batching.validate("", List.of(goodB(2), goodA(2)), List.of("Y"), SequenceId.NONE))
        .containsExactly("Y");
  }

  @Test
  void whoAsksForNoOutputAsksForAll() {
    assertThat(batching.validate("", List.of(goodA(8), goodB(8)), List.of(), SequenceId.NONE))
        .containsExactly("X", "Y");
  }

  @Test
  void theFirstThingThatIsWrongIsTheOneReported() {
    String wrongCount =
        "[request id: r1] expected 2 inputs but got 1 inputs for model 'm'. Got input(s) ['A'], but"
            + " missing required input(s) ['B']. Please provide all required input(s).";
    Tensor wrongAll = tensor("A", DataType.INT8, 1, 9, 4, 3);
    Tensor wrongTypeShapeSize = tensor("A", DataType.INT8, 1, 2, 4, 3);
    Tensor wrongShapeSize = tensor("A", DataType.FP32, 1, 2, 4, 3);
    Tensor wrongSize = tensor("A", DataType.FP32, 1, 2, 4, 2);

    assertRefused(
        batching, List.of("X", "Z"), "unexpected inference output 'Z' for model 'm'", wrongAll);
    assertRefused(batching, wrongCount, wrongAll);
    assertRefused(
        batching,
        "[request id: r1] input 'B' batch size does not match other inputs for 'm'",
        wrongAll,
        goodB(2));
    assertRefused(
        batching,
        "[request id: r1] inference request batch-size must be <= 8 for 'm'",
        wrongAll,
        goodB(9));
    assertRefused(
        batching,
        "[request id: r1] inference input 'A' data-type is 'INT8', but model 'm' expects 'FP32'",
        wrongTypeShapeSize,
        goodB(2));
    assertRefused(
        batching,
        "[request id: r1] unexpected shape for input 'A' for model 'm'. Expected [-1,-1,2], got"
            + " [2,4,3]. "
            + NOTE,
        wrongShapeSize,
        goodB(2));
    assertRefused(
        batching,
        "[request id: r1] input byte size mismatch for input 'A' for model 'm'. Expected 64, got 1",
        wrongSize,
        goodB(2));
  }

  @Test
  void aRequestWithoutIdIsNamedUnknown() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> batching.validate("", List.of(), List.of(), SequenceId.NONE))
        .withMessage(
            "[request id: <id_unknown>] expected 2 inputs but got 0 inputs for model 'm'. Got"
                + " input(s) [], but missing required input(s) ['A','B']. Please provide all"
                + " required input(s).");
  }

  @Test
  void moreInputsThanDeclaredAreCounted() {
    assertRefused(
        batching,
        "[request id: r1] expected 2 inputs but got 3 inputs for model 'm'. Got input(s)"
            + " ['A','B','C'], but missing required input(s) []. Please provide all required"
            + " input(s).",
        goodA(1),
        goodB(1),
        tensor("C", DataType.INT8, 1, 1, 1));
  }

  @Test
  void aWrongNameInTheRightNumberIsUnexpected() {
    assertRefused(
        batching,
        "unexpected inference input 'C' for model 'm'",
        goodA(1),
        tensor("C", DataType.INT8, 1, 1, 1));
  }

  @Test
  void optionalInputsWidenTheCountAndAMissingRequiredOneIsNamed() {
    RequestValidator optional = validator(8, a, with(b, true, false));

    assertThat(optional.validate("", List.of(goodA(1)), List.of("X"), SequenceId.NONE))
        .containsExactly("X");
    assertRefused(
        optional,
        "[request id: r1] expected number of inputs between 1 and 2 but got 0 inputs for model 'm'."
            + " Got input(s) [], but missing required input(s) ['A']. Please provide all required"
            + " input(s).");
    assertRefused(
        optional,
        "[request id: r1] expected all required inputs but got 1 inputs for model 'm'. Got"
            + " input(s) ['B'], but missing required input(s) ['A']. Please provide all required"
            + " input(s).",
        goodB(1));
  }

  @Test
  void aBatchingModelNeedsABatchDimension() {
    assertRefused(
        batching,
        "[request id: r1] input 'A' has no shape but model requires batch dimension for 'm'",
        tensor("A", DataType.FP32, 4),
        goodB(1));
  }

  @Test
  void batchSizesAreComparedAsLongs() {
    long rows = (1L << 32) + 1; // 1, to whoever counts in 32 bits
    assertRefused(
        batching,
        "[request id: r1] inference request batch-size must be <= 8 for 'm'",
        tensor("A", DataType.FP32, 32, rows, 4, 2),
        tensor("B", DataType.INT32, 12, rows, 3));
  }

  @Test
  void aModelThatDoesNotBatchTakesItsShapesAsTheyAre() {
    RequestValidator plain = validator(0, a);

    assertThat(
            plain.validate(
                "", List.of(tensor("A", DataType.FP32, 800, 100, 2)), List.of(), SequenceId.NONE))
        .hasSize(2);
    assertRefused(
        plain,
        "[request id: r1] unexpected shape for input 'A' for model 'm'. Expected [-1,2], got"
            + " [1,4,2]. ",
        goodA(1));
  }

  @Test
  void aShapeTensorHasNoBatchDimension() {
    RequestValidator shaped = validator(8, a, with(b, false, true));

    assertThat(
            shaped.validate(
                "",
                List.of(goodA(2), tensor("B", DataType.INT32, 12, 3)),
                List.of(),
                SequenceId.NONE))
        .hasSize(2);
    assertRefused(
        shaped,
        "[request id: r1] unexpected shape for input 'B' for model 'm'. Expected [3], got [2,3]. "
            + NOTE,
        goodA(2),
        goodB(2));
  }

  @Test
  void aRequestMayNotLeaveADimensionOpen() {
    assertRefused(
        batching,
        "[request id: r1] All input dimensions should be specified for input 'A' for model 'm', got"
            + " [1,-1,2]",
        tensor("A", DataType.FP32, 8, 1, -1, 2),
        goodB(1));
  }

  @Test
  void aWildcardMayBeZero() {
    assertThat(
            batching.validate(
                "",
                List.of(tensor("A", DataType.FP32, 0, 1, 0, 2), goodB(1)),
                List.of(),
                SequenceId.NONE))
        .hasSize(2);
  }

  @Test
  void aShapeBeyondAllBytesIsRefused() {
    Shape huge = Shape.of(1, Long.MAX_VALUE / 2, 2);
    assertRefused(
        batching,
        "[request id: r1] shape "
            + huge
            + " of input 'A' for model 'm' exceeds the maximum byte"
            + " size of 9223372036854775807",
        new Tensor("A", DataType.FP32, huge, MemorySegment.NULL),
        goodB(1));
  }

  @Test
  void aBytesShapeBeyondAllCountsIsRefusedToo() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(-1, -1)));
    Shape huge = Shape.of(Long.MAX_VALUE, 3);
    assertRefused(
        texts,
        "[request id: r1] shape [9223372036854775807,3] of input 'S' for model 'm' exceeds the"
            + " maximum byte size of 9223372036854775807",
        new Tensor("S", DataType.BYTES, huge, MemorySegment.NULL));
  }

  @Test
  void stringsAreWalked() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(2)));

    assertThat(texts.validate("", List.of(strings(0, "one", "")), List.of(), SequenceId.NONE))
        .hasSize(2);
    assertRefused(
        texts,
        "[request id: r1] expected 2 string elements for inference input 'S' for model 'm', got 1",
        strings(0, "one"));
    assertRefused(
        texts,
        "[request id: r1] unexpected number of string elements 3 for inference input 'S' for model"
            + " 'm', expecting 2",
        strings(0, "one", "two", "three"));
    assertRefused(
        texts,
        "[request id: r1] incomplete string length indicator for inference input 'S' for model 'm',"
            + " expecting 4 bytes but only 2 bytes available. Please make sure the string length"
            + " indicator is in one buffer.",
        strings(2, "one"));
    assertRefused(
        texts,
        "[request id: r1] incomplete string data for inference input 'S' for model 'm', expecting"
            + " string of length 3 but only 1 bytes available",
        strings(-2, "one", "two"));
  }

  @Test
  void aLengthOfFourGigabytesIsNotTakenForANegativeOne() {
    RequestValidator texts = validator(0, TensorConfig.of("S", DataType.BYTES, Shape.of(1)));
    byte[] data = {-1, -1, -1, -1, 'a'};
    assertRefused(
        texts,
        "[request id: r1] incomplete string data for inference input 'S' for model 'm', expecting"
            + " string of length 4294967295 but only 1 bytes available",
        new Tensor("S", DataType.BYTES, Shape.of(1), MemorySegment.ofArray(data)));
  }

  /** Elements in their packed form, and that many bytes more, or fewer, behind them. */
  private static Tensor strings(int more, String... values) {
    List<byte[]> elements =
        Stream.of(values).map(value -> value.getBytes(StandardCharsets.UTF_8)).toList();
    int byteSize = (int) BytesElements.byteSize(elements);
    MemorySegment data = MemorySegment.ofArray(new byte[byteSize + Math.max(more, 0)]);
    long offset = 0;
    for (byte[] element : elements) {
      offset = BytesElements.put(data, offset, element);
    }
    return new Tensor("S", DataType.BYTES, Shape.of(2), data.asSlice(0, byteSize + more));
  }

  private static RequestValidator told(DataType type) {
    var id = new Control("ID", Control.Kind.CONTROL_SEQUENCE_CORRID, type, 0, 0);
    var start = new Control("S", Control.Kind.CONTROL_SEQUENCE_START, DataType.BOOL, 0, 1);
    return new RequestValidator(
        ModelConfig.of("m", "backend")
            .withScheduling(
                new SequenceSettings(
                    1_000_000, List.of(start, id), new Strategy.Direct(0, 0), List.of(), false)));
  }

  private static List<String> validate(RequestValidator validator, SequenceId sequenceId) {
    return validator.validate("r1", List.of(), List.of(), sequenceId);
  }

  @Test
  void requiresASequenceIdOfTheTypeInWhichTheModelIsToldIt() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> validate(told(DataType.UINT64), new SequenceId.OfString("a")))
        .withMessage(
            "[request id: r1] sequence batching control 'ID' data-type is 'BYTES', but model 'm'"
                + " expects 'UINT64'")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> validate(told(DataType.BYTES), new SequenceId.OfNumber(7)))
        .withMessage(
            "[request id: r1] sequence batching control 'ID' data-type is 'UINT64', but model 'm'"
                + " expects 'BYTES'");
  }

  @Test
  void acceptsNumbersForEveryIntegerTypeTextForBytesAndNoId() {
    for (DataType type :
        List.of(DataType.UINT64, DataType.INT64, DataType.UINT32, DataType.INT32)) {
      assertThat(validate(told(type), new SequenceId.OfNumber(7))).isEmpty();
      assertThat(validate(told(type), SequenceId.NONE)).isEmpty();
    }
    assertThat(validate(told(DataType.BYTES), new SequenceId.OfString("a"))).isEmpty();
    assertThat(validate(told(DataType.BYTES), SequenceId.NONE)).isEmpty();
  }

  @Test
  void acceptsAnyIdIfTheModelIsNotToldIt() {
    assertThat(
            batching.validate(
                "", List.of(goodA(1), goodB(1)), List.of(), new SequenceId.OfString("a")))
        .hasSize(2);
  }
}
