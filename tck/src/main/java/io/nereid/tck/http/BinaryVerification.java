package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.provider.EnumSource;

/** The binary tensor extension: tensors as bytes behind the JSON. */
public abstract class BinaryVerification extends HttpVerification {
  private static final byte[] ROW_BYTES = Samples.ints(IntStream.range(0, 16).toArray());
  private static final String BINARY0 = binaryInput("INPUT0", "INT32", "[1,16]", 64);
  private static final String BINARY1 = binaryInput("INPUT1", "INT32", "[1,16]", 64);

  private static void assertSums(HttpWire.Response response) {
    assertThat(integers(output(answered(response), "OUTPUT0"))).startsWith(0L, 2L).endsWith(30L);
  }

  @Rule("HTTP-BINARY-01")
  void readsBinaryInputs() {
    assertSums(inferBinary("simple", request(BINARY0, BINARY1), ROW_BYTES, ROW_BYTES));
  }

  @Rule("HTTP-BINARY-02")
  void writesBinaryOutputsInTheirOrderBehindTheJson() {
    var outputs =
        """
        {$inputs,"outputs":[{"name":"OUTPUT0","parameters":{"binary_data":true}},
                            {"name":"OUTPUT1","parameters":{"binary_data":true}}]}
        """;
    var split = BinaryResponse.of(infer("simple", outputs));
    var doubled = Samples.ints(IntStream.range(0, 16).map(i -> 2 * i).toArray());
    var zero = Samples.ints(new int[16]);
    boolean sumsFirst =
        Json.member(Json.list(split.json(), "outputs").getFirst(), "name").equals("OUTPUT0");
    assertThat(split.blobs()).isEqualTo(sumsFirst ? join(doubled, zero) : join(zero, doubled));
    assertThat(split.binarySize("OUTPUT0")).isEqualTo(64);
    assertThat(members(output(split.json(), "OUTPUT0")))
        .isEqualTo("name datatype shape parameters");
  }

  @RuleCases("HTTP-BINARY-03")
  @EnumSource
  void carriesEveryDataType(DataType type) {
    byte[] bytes = Samples.bytes(type);
    var json =
        requestWith(
            "\"parameters\":{\"binary_data_output\":true}",
            binaryInput("INPUT0", type.name(), "[3]", bytes.length));
    var split = BinaryResponse.of(inferBinary(Samples.model(type), json, bytes));
    assertThat(split.blobs()).isEqualTo(bytes);
    assertThat(split.binarySize("OUTPUT0")).isEqualTo(bytes.length);
    assertThat(Json.member(output(split.json(), "OUTPUT0"), "datatype")).isEqualTo(type.name());
  }

  @Rule("HTTP-BINARY-04")
  void mixesJsonAndBinaryInputs() {
    assertSums(inferBinary("simple", request(BINARY0, INPUT1), ROW_BYTES));
    assertSums(inferBinary("simple", request(INPUT0, BINARY1), ROW_BYTES));
  }

  @Rule("HTTP-BINARY-05")
  void mixesJsonAndBinaryOutputs() {
    var outputs =
        """
        {$inputs,"outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1","parameters":{"binary_data":true}}]}
        """;
    var split = BinaryResponse.of(infer("simple", outputs));
    assertThat(integers(output(split.json(), "OUTPUT0"))).startsWith(0L, 2L);
    assertThat(split.blobs()).isEqualTo(Samples.ints(new int[16]));
  }

  @Rule("HTTP-BINARY-06")
  void makesAllOutputsBinaryIfNoneIsNamedAndTheRequestSaysSo() {
    var response = infer("simple", "{$inputs,\"parameters\":{\"binary_data_output\":true}}");
    assertThat(BinaryResponse.of(response).blobs()).hasSize(128);
  }

  @Rule("HTTP-BINARY-07")
  void usesTheOptionOfEachNamedOutput() {
    var flag = "\"parameters\":{\"binary_data_output\":true},\"outputs\":[{\"name\":\"OUTPUT0\"}]";
    assertSums(infer("simple", requestWith(flag, INPUT0, INPUT1)));
  }

  @Rule("HTTP-BINARY-08")
  void answersWithPlainJsonIfAllBinaryOutputsAreEmpty() {
    var outputs = "\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{\"binary_data\":true}}]";
    var input = input("INPUT0", "FP32", "[0]", "[]");
    var response = infer("identity_fp32", requestWith(outputs, input));
    var answer = new BinaryResponse(answered(response), new byte[0]);
    assertThat(answer.binarySize("OUTPUT0")).isZero();
    assertThat(response.header(LENGTH)).isEmpty();
  }

  @Rule("HTTP-BINARY-09")
  void takesABinaryInputOfNoBytes() {
    var response = inferBinary("identity_fp32", request(binaryInput("INPUT0", "FP32", "[0]", 0)));
    assertThat(shape(output(answered(response), "OUTPUT0"))).containsExactly(0L);
  }

  @Rule("HTTP-BINARY-10")
  void readsAllOfTheBodyAsJsonIfTheHeaderIsMissing() {
    byte[] head = request(BINARY0, INPUT1).getBytes(UTF_8);
    var headers = Map.of("Content-Type", "application/octet-stream");
    var response = infer("simple", join(head, ROW_BYTES), headers);
    assertThat(response.text()).contains("must not be followed by other values");
    rejected(response, 500, "failed to parse the request JSON buffer: ...");
  }

  @RuleTable(
      """
      HTTP-BINARY-11 | abc   | Unable to parse Inference-Header-Content-Length, got: abc
      HTTP-BINARY-25 | 12abc | Unable to parse Inference-Header-Content-Length, got: 12abc
      HTTP-BINARY-25 | 0x10  | Unable to parse Inference-Header-Content-Length, got: 0x10
      HTTP-BINARY-25 | ``    | `Unable to parse Inference-Header-Content-Length, got: `
      HTTP-BINARY-25 | -     | Unable to parse Inference-Header-Content-Length, got: -
      HTTP-BINARY-25 | 1 2   | Unable to parse Inference-Header-Content-Length, got: 1 2
      HTTP-BINARY-12 | 99999999999  | Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648, 2147483647 ], got: 99999999999
      HTTP-BINARY-12 | -99999999999 | Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648, 2147483647 ], got: -99999999999
      HTTP-BINARY-12 | +99999999999999999999 | Unable to parse Inference-Header-Content-Length, value is out of range [ -2147483648, 2147483647 ], got: +99999999999999999999
      HTTP-BINARY-13 | 9999  | inference header size should be in range (0, $size), got: 9999
      HTTP-BINARY-13 | -1    | inference header size should be in range (0, $size), got: -1
      """)
  void rejectsAHeaderLength(String length, String text) {
    byte[] json = request(INPUT0, INPUT1).getBytes(UTF_8);
    rejected(
        inferBytes("simple", length, json), text.replace("$size", Integer.toString(json.length)));
  }

  @Rule("HTTP-BINARY-26")
  void takesAHeaderLengthWithLeadingBlanksAndASign() {
    byte[] json = request(INPUT0, INPUT1).getBytes(UTF_8);
    assertSums(inferBytes("simple", "  +" + json.length, json));
  }

  /** Bytes of the second input, of which the first has the right ones. */
  @RuleTable(
      """
      HTTP-BINARY-14 | 64 | 60 | unexpected size for input 'INPUT1', expecting 4 additional bytes for model 'simple'
      HTTP-BINARY-15 | 64 | 67 | unexpected additional input data for model 'simple'
      HTTP-BINARY-16 | 60 | 60 | [request id: <id_unknown>] input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 60
      """)
  void rejectsBytesOfAnotherSize(int said, int sent, String text) {
    var json = request(BINARY0, binaryInput("INPUT1", "INT32", "[1,16]", said));
    rejected(inferBinary("simple", json, ROW_BYTES, Arrays.copyOf(ROW_BYTES, sent)), text);
  }

  @Rule("HTTP-BINARY-17")
  void takesARawBodyAsTheOnlyInput() {
    byte[] floats = Samples.bytes(DataType.FP32);
    var split = BinaryResponse.of(inferBytes("identity_fp32", "0", floats));
    assertThat(split.blobs()).isEqualTo(floats);
    assertThat(shape(output(split.json(), "OUTPUT0"))).containsExactly(3L);
  }

  @RuleTable(
      """
      HTTP-BINARY-18 | simple         | 64 | Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in 'simple' model configuration
      HTTP-BINARY-23 | identity_bytes | 3  | For BYTE datatype raw input 'INPUT0', the model must have input shape [1]
      HTTP-BINARY-24 | identity_fp32  | 7  | input byte size mismatch for input 'INPUT0' for model 'identity_fp32'. Expected 4, got 7
      """)
  void rejectsARawBody(String model, int byteSize, String text) {
    rejected(inferBytes(model, "0", new byte[byteSize]), NO_ID + text);
  }

  @Rule("HTTP-BINARY-18")
  void rejectsAnEmptyBodyForAModelWithTwoInputs() {
    rejected(
        infer("simple", ""),
        NO_ID
            + "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in"
            + " 'simple' model configuration");
  }

  /** Bytes of two strings. */
  @RuleTable(
      """
      HTTP-BINARY-19 | 0100000061               | [request id: <id_unknown>] expected 2 string elements for inference input 'INPUT0' for model 'identity_bytes', got 1
      HTTP-BINARY-20 | 000000000000000000000000 | [request id: <id_unknown>] unexpected number of string elements 3 for inference input 'INPUT0' for model 'identity_bytes', expecting 2
      HTTP-BINARY-21 | 01000000610000           | [request id: <id_unknown>] incomplete string length indicator for inference input 'INPUT0'...
      HTTP-BINARY-21 | 000000000000000000       | [request id: <id_unknown>] incomplete string length indicator for inference input 'INPUT0' for model 'identity_bytes', expecting 4 bytes but only 1 bytes available. Please make sure the string length indicator is in one buffer.
      HTTP-BINARY-22 | 01000000610900000062     | ...
      HTTP-BINARY-22 | 0100000061ffffffff62     | ...
      """)
  void rejectsStrings(String hex, String text) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    var json = request(binaryInput("INPUT0", "BYTES", "[2]", bytes.length));
    rejected(inferBinary("identity_bytes", json, bytes), text);
  }
}
