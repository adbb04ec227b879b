package io.nereid.engine.request.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The inputs and outputs that a request must name, and the error that is reported first. The texts
 * are Triton's.
 */
class RequestValidatorTest extends ValidatedRequests {
  @Test
  void acceptsInputsInAnyOrder() {
    assertAccepted(batching, goodB(2), goodA(2));
  }

  @Test
  void givesARequestThatNamesNoOutputAllOfThem() {
    assertThat(batching.outputNames()).containsExactly("X", "Y");
  }

  @Test
  void reportsTheFirstError() {
    String wrongCount =
        "[request id: r1] expected 2 inputs but got 1 inputs for model 'm'. Got input(s) ['A'], but"
            + " missing required input(s) ['B']. Please provide all required input(s).";
    Tensor wrongAll = tensor("A", DataType.INT8, 1, 9, 4, 3);
    Tensor wrongTypeShapeSize = tensor("A", DataType.INT8, 1, 2, 4, 3);
    Tensor wrongShapeSize = tensor("A", DataType.FP32, 1, 2, 4, 3);
    Tensor wrongSize = tensor("A", DataType.FP32, 1, 2, 4, 2);

    assertRejected(
        batching,
        List.of("X", "Z"),
        "unexpected inference output 'Z' for model 'm'; it has ['X','Y']",
        wrongAll);
    assertRejected(batching, wrongCount, wrongAll);
    assertRejected(
        batching,
        "[request id: r1] input 'A' batch size does not match other inputs for 'm': 9 rows, others"
            + " have 2",
        wrongAll,
        goodB(2));
    assertRejected(
        batching,
        "[request id: r1] inference request batch-size must be <= 8 for 'm', got 9",
        wrongAll,
        goodB(9));
    assertRejected(
        batching,
        "[request id: r1] inference input 'A' data-type is 'INT8', but model 'm' expects 'FP32'",
        wrongTypeShapeSize,
        goodB(2));
    assertRejected(
        batching,
        "[request id: r1] unexpected shape for input 'A' for model 'm'. Expected [-1,-1,2], got"
            + " [2,4,3]. "
            + NOTE,
        wrongShapeSize,
        goodB(2));
    assertRejected(
        batching,
        "[request id: r1] input byte size mismatch for input 'A' for model 'm'. Expected 64, got 1",
        wrongSize,
        goodB(2));
  }

  @Test
  void reportsOfTwoWrongInputsTheLastOfTheRequest() {
    Tensor wrongA = tensor("A", DataType.INT8, 1, 2, 4, 2);
    Tensor wrongB = tensor("B", DataType.INT8, 1, 2, 3);
    String wrongType = "[request id: r1] inference input '%s' data-type is 'INT8', but model 'm'";

    assertRejected(batching, wrongType.formatted("B") + " expects 'INT32'", wrongA, wrongB);
    assertRejected(batching, wrongType.formatted("A") + " expects 'FP32'", wrongB, wrongA);
    assertRejected(
        batching,
        "unexpected inference input 'D' for model 'm'; it has ['A','B']",
        tensor("C", DataType.INT8, 1, 1, 1),
        tensor("D", DataType.INT8, 1, 1, 1));
  }

  @Test
  void namesARequestWithoutIdUnknown() {
    assertRejected(
        batching,
        request("", List.of(), List.of("X"), SequenceId.NONE),
        "[request id: <id_unknown>] expected 2 inputs but got 0 inputs for model 'm'. Got"
            + " input(s) [], but missing required input(s) ['A','B']. Please provide all"
            + " required input(s).");
  }

  @Test
  void rejectsMoreInputsThanDeclared() {
    assertRejected(
        batching,
        "[request id: r1] expected 2 inputs but got 3 inputs for model 'm'. Got input(s)"
            + " ['C','B','A'], but missing required input(s) []. Please provide all required"
            + " input(s).",
        goodA(1),
        goodB(1),
        tensor("C", DataType.INT8, 1, 1, 1));
  }

  @Test
  void rejectsAnInputOfAnotherName() {
    assertRejected(
        batching,
        "unexpected inference input 'C' for model 'm'; it has ['A','B']",
        goodA(1),
        tensor("C", DataType.INT8, 1, 1, 1));
  }

  @Test
  void acceptsMissingOptionalInputsAndNamesMissingRequiredOnes() {
    RequestValidator optional = validator(8, a, with(b, true, false));

    assertAccepted(optional, goodA(1));
    assertRejected(
        optional,
        "[request id: r1] expected number of inputs between 1 and 2 but got 0 inputs for model 'm'."
            + " Got input(s) [], but missing required input(s) ['A']. Please provide all required"
            + " input(s).");
    assertRejected(
        optional,
        "[request id: r1] expected all required inputs but got 1 inputs for model 'm'. Got"
            + " input(s) ['B'], but missing required input(s) ['A']. Please provide all required"
            + " input(s).",
        goodB(1));
  }
}
