package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import java.util.List;
import java.util.stream.Stream;

/** Requests that can be decoded and do not fit their model. */
public abstract class ValidationVerification extends HttpVerification {
  @RuleTable(
      """
      HTTP-VALID-01 | simple | {$inputs,"outputs":[{"name":"OUTPUT9"}]} | unexpected inference output 'OUTPUT9' for model 'simple'...
      HTTP-VALID-02 | simple | {"inputs":[$0]}              | [request id: <id_unknown>] expected 2 inputs but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], but missing required input(s) ['INPUT1']. Please provide all required input(s).
      HTTP-VALID-03 | simple | {"inputs":[$0,$1,{"name":"INPUT2","datatype":"INT32","shape":[1,16],"data":[$row]}]} | [request id: <id_unknown>] expected 2 inputs but got 3 inputs for model 'simple'....
      HTTP-VALID-04 | simple | {"inputs":[$0,{"name":"INPUT9","datatype":"INT32","shape":[1,16],"data":[$row]}]}    | unexpected inference input 'INPUT9' for model 'simple'...
      HTTP-VALID-05 | simple | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[9,16],"data":$nine},{"name":"INPUT1","datatype":"INT32","shape":[9,16],"data":$nine}]} | [request id: <id_unknown>] inference request batch-size must be <= 8 for 'simple'...
      HTTP-VALID-07 | simple | {"inputs":[{"name":"INPUT0","datatype":"FP32","shape":[1,16],"data":[$row]},$1]} | [request id: <id_unknown>] inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'
      HTTP-VALID-09 | identity_int32  | {"inputs":[{"name":"INPUT0","datatype":"INT32","shape":[1,2],"data":[1,2]}]}         | [request id: <id_unknown>] unexpected shape for input 'INPUT0' for model 'identity_int32'. Expected [-1], got [1,2]....
      HTTP-VALID-11 | identity_bytes  | {"inputs":[{"name":"INPUT0","datatype":"BYTES","shape":[2],"data":["a"]}]}           | [request id: <id_unknown>] expected 2 string elements for inference input 'INPUT0' for model 'identity_bytes', got 1
      HTTP-VALID-11 | identity_bytes  | {"inputs":[{"name":"INPUT0","datatype":"BYTES","shape":[2],"data":["a","b","c"]}]}   | [request id: <id_unknown>] unexpected number of string elements 3 for inference input 'INPUT0' for model 'identity_bytes', expecting 2
      HTTP-VALID-12 | optional_inputs | {"inputs":[]}                                                                        | [request id: <id_unknown>] expected number of inputs between 1 and 2 but got 0 inputs for model 'optional_inputs'....
      HTTP-VALID-13 | optional_inputs | {"inputs":[{"name":"INPUT1","datatype":"FP32","shape":[1],"data":[1.0]}]}            | [request id: <id_unknown>] ...
      HTTP-VALID-15 | simple | {"inputs":[$0],"id":"mine"}  | [request id: mine] expected 2 inputs but got 1 inputs...
      """)
  void rejectsWhatDoesNotFitTheModel(String model, String json, String text) {
    rejected(infer(model, json.replace("$nine", rows(9))), text);
  }

  private static String rows(int rows) {
    return "[" + (ROW + ",").repeat(rows - 1) + ROW + "]";
  }

  /** Both inputs are wrong; Triton checks them in the order of a hash table. */
  @RuleTable(
      """
      HTTP-VALID-06 | [2,16]  | [$row,$row]       | [3,16]  | [$row,$row,$row]  | input '%s' batch size does not match other inputs for 'simple'...
      HTTP-VALID-08 | [1,8]   | [0,1,2,3,4,5,6,7] | [1,8]   | [0,1,2,3,4,5,6,7] | unexpected shape for input '%s' for model 'simple'. Expected [-1,16], got [1,8]. ...
      HTTP-VALID-08 | [8]     | [0,1,2,3,4,5,6,7] | [8]     | [0,1,2,3,4,5,6,7] | unexpected shape for input '%s' for model 'simple'. Expected [-1,16], got [8]. ...
      HTTP-VALID-08 | [1,2,4] | [0,1,2,3,4,5,6,7] | [1,2,4] | [0,1,2,3,4,5,6,7] | unexpected shape for input '%s' for model 'simple'. Expected [-1,16], got [1,2,4]. ...
      HTTP-VALID-10 | []      | []                | []      | []                | input '%s' has no shape but model requires batch dimension for 'simple'...
      """)
  void namesEitherInput(String shape0, String data0, String shape1, String data1, String text) {
    var first = input("INPUT0", "INT32", shape0, data0);
    var response = infer("simple", request(first, input("INPUT1", "INT32", shape1, data1)));
    rejected(response, "...");
    String beginning = NO_ID + text.replace("...", "");
    String error = error(response, 400);
    assertThat(Stream.of("INPUT0", "INPUT1").map(beginning::formatted))
        .as(error)
        .anyMatch(error::startsWith);
  }

  @Rule("HTTP-VALID-14")
  void namesTheFirstFaultInTheOrderOfTheSpecification() {
    var wrong = input("INPUT0", "FP32", "[9,8]", "[" + "1,".repeat(71) + "1]");
    var output = "\"outputs\":[{\"name\":\"OUTPUT9\"}]";
    rejected(
        infer("simple", requestWith(output, wrong)),
        "unexpected inference output 'OUTPUT9' for model 'simple'...");
    rejected(infer("simple", request(wrong)), NO_ID + "expected 2 inputs but got 1 inputs...");
    rejected(
        infer("simple", request(wrong, input("INPUT1", "INT32", "[9,16]", rows(9)))),
        NO_ID + "inference request batch-size must be <= 8 for 'simple'...");
    rejected(
        infer("simple", request(input("INPUT0", "FP32", "[1,8]", "[1,2,3,4,5,6,7,8]"), INPUT1)),
        NO_ID + "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'");
  }

  @Rule("HTTP-VALID-16")
  void executesABatchWithoutRows() {
    var empty = request(INPUT0, INPUT1).replace("[1,16]", "[0,16]").replace(ROW, "");
    var response = answer("simple", empty);
    for (String name : List.of("OUTPUT0", "OUTPUT1")) {
      assertThat(shape(output(response, name))).containsExactly(0L, 16L);
      assertThat(integers(output(response, name))).isEmpty();
    }
  }
}
