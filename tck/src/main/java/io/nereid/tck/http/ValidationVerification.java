package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that can be decoded and do not fit their model. */
public abstract class ValidationVerification extends HttpVerification {
  private static String rows(int rows) {
    return "[" + (ROW + ",").repeat(rows - 1) + ROW + "]";
  }

  private static String int32(String name, String shape, String data) {
    return input(name, "INT32", shape, data);
  }

  @Test
  @Rule("HTTP-VALID-01")
  void rejectsAnUnknownOutput() {
    simpleRefused(
        requestWith("\"outputs\":[{\"name\":\"OUTPUT9\"}]", INPUT0, INPUT1),
        "unexpected inference output 'OUTPUT9' for model 'simple'");
  }

  @Test
  @Rule("HTTP-VALID-02")
  void rejectsTooFewInputsAndNamesThem() {
    simpleRefused(
        request(INPUT0),
        NO_ID
            + "expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but"
            + " missing required input(s) ['INPUT1']. Please provide all required input(s).");
  }

  @Test
  @Rule("HTTP-VALID-03")
  void rejectsTooManyInputs() {
    rejectedWith(
        infer("simple", request(INPUT0, INPUT1, int32("INPUT2", "[1,16]", rows(1)))),
        NO_ID + "expected 2 inputs but got 3 inputs for model 'simple'.");
  }

  @Test
  @Rule("HTTP-VALID-04")
  void rejectsAnUnknownInput() {
    simpleRefused(
        request(INPUT0, int32("INPUT9", "[1,16]", rows(1))),
        "unexpected inference input 'INPUT9' for model 'simple'");
  }

  @Test
  @Rule("HTTP-VALID-05")
  void rejectsABatchThatIsTooLarge() {
    rejectedWith(
        infer(
            "simple",
            request(int32("INPUT0", "[9,16]", rows(9)), int32("INPUT1", "[9,16]", rows(9)))),
        NO_ID + "inference request batch-size must be <= 8 for 'simple'");
  }

  @Test
  @Rule("HTTP-VALID-06")
  void rejectsInputsWithDifferentNumbersOfRows() {
    namesEitherInput(
        infer(
            "simple",
            request(int32("INPUT0", "[2,16]", rows(2)), int32("INPUT1", "[3,16]", rows(3)))),
        NO_ID + "input '%s' batch size does not match other inputs for 'simple'");
  }

  @Test
  @Rule("HTTP-VALID-07")
  void rejectsAnotherDataType() {
    simpleRefused(
        request(input("INPUT0", "FP32", "[1,16]", rows(1)), INPUT1),
        NO_ID + "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[1,8]", "[8]", "[1,2,4]"})
  @Rule("HTTP-VALID-08")
  void rejectsAnotherShapeAndNamesBoth(String shape) {
    var eight = "[0,1,2,3,4,5,6,7]";
    var json = request(int32("INPUT0", shape, eight), int32("INPUT1", shape, eight));
    namesEitherInput(
        infer("simple", json),
        NO_ID
            + "unexpected shape for input '%s' for model 'simple'. Expected [-1,16], got "
            + shape
            + ". ");
  }

  @Test
  @Rule("HTTP-VALID-09")
  void rejectsAnotherRankForAModelThatDoesNotBatch() {
    rejectedWith(
        infer("identity_int32", request(int32("INPUT0", "[1,2]", "[1,2]"))),
        NO_ID
            + "unexpected shape for input 'INPUT0' for model 'identity_int32'. Expected [-1], got"
            + " [1,2].");
  }

  @Test
  @Rule("HTTP-VALID-10")
  void rejectsAScalarForAModelThatBatches() {
    var scalar = int32("INPUT0", "[]", "[]");
    namesEitherInput(
        infer("simple", request(scalar, int32("INPUT1", "[]", "[]"))),
        NO_ID + "input '%s' has no shape but model requires batch dimension for 'simple'");
  }

  /** Both inputs are wrong; Triton checks them in the order of a hash table. */
  private void namesEitherInput(HttpWire.Response response, String beginning) {
    rejectedWith(response, "");
    String text = error(response, 400);
    assertThat(Stream.of("INPUT0", "INPUT1").map(beginning::formatted))
        .as(text)
        .anyMatch(text::startsWith);
  }

  @Test
  @Rule("HTTP-VALID-11")
  void rejectsStringsThatDoNotCountAsTheShapeSays() {
    rejected(
        infer("identity_bytes", request(input("INPUT0", "BYTES", "[2]", "[\"a\"]"))),
        NO_ID
            + "expected 2 string elements for inference input 'INPUT0' for model 'identity_bytes', got 1");
    rejected(
        infer("identity_bytes", request(input("INPUT0", "BYTES", "[2]", "[\"a\",\"b\",\"c\"]"))),
        NO_ID
            + "unexpected number of string elements 3 for inference input 'INPUT0' for model"
            + " 'identity_bytes', expecting 2");
  }

  @Test
  @Rule("HTTP-VALID-12")
  void rejectsARequestWithoutTheRequiredInput() {
    rejectedWith(
        infer("optional_inputs", "{\"inputs\":[]}"),
        NO_ID
            + "expected number of inputs between 1 and 2 but got 0 inputs for model"
            + " 'optional_inputs'.");
  }

  @Test
  @Rule("HTTP-VALID-13")
  void rejectsARequiredInputThatAnOptionalOneMasks() {
    rejectedWith(infer("optional_inputs", request(input("INPUT1", "FP32", "[1]", "[1.0]"))), NO_ID);
  }

  @Test
  @Rule("HTTP-VALID-14")
  void namesTheFirstFaultInTheOrderOfTheSpecification() {
    var wrong = input("INPUT0", "FP32", "[9,8]", "[" + "1,".repeat(71) + "1]");
    var output = "\"outputs\":[{\"name\":\"OUTPUT9\"}]";
    simpleRefused(
        requestWith(output, wrong), "unexpected inference output 'OUTPUT9' for model 'simple'");
    rejectedWith(infer("simple", request(wrong)), NO_ID + "expected 2 inputs but got 1 inputs");

    var other = int32("INPUT1", "[9,16]", rows(9));
    rejectedWith(
        infer("simple", request(wrong, other)),
        NO_ID + "inference request batch-size must be <= 8 for 'simple'");

    var mistyped = input("INPUT0", "FP32", "[1,8]", "[1,2,3,4,5,6,7,8]");
    simpleRefused(
        request(mistyped, INPUT1),
        NO_ID + "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'");
  }

  @Test
  @Rule("HTTP-VALID-16")
  void executesABatchWithoutRows() {
    var response =
        answer("simple", request(int32("INPUT0", "[0,16]", "[]"), int32("INPUT1", "[0,16]", "[]")));

    for (String name : List.of("OUTPUT0", "OUTPUT1")) {
      assertThat(shape(output(response, name))).containsExactly(0L, 16L);
      assertThat(integers(output(response, name))).isEmpty();
    }
  }

  @Test
  @Rule("HTTP-VALID-15")
  void namesTheRequestsIdInTheMessage() {
    rejectedWith(
        infer("simple", requestWith("\"id\":\"mine\"", INPUT0)),
        "[request id: mine] expected 2 inputs but got 1 inputs");
  }
}
