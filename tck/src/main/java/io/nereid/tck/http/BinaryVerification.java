package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The binary tensor extension: tensors as bytes behind the JSON. */
public abstract class BinaryVerification extends HttpVerification {
  private static final byte[] ROW_BYTES = Samples.ints(IntStream.range(0, 16).toArray());
  private static final String BINARY0 = binaryInput("INPUT0", "INT32", "[1,16]", 64);
  private static final String BINARY1 = binaryInput("INPUT1", "INT32", "[1,16]", 64);

  /** A response with blobs, taken apart. */
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  private record Split(Object json, byte[] blobs) {
    static Split of(HttpWire.Response response) {
      assertThat(response.status()).as(response.text()).isEqualTo(200);
      assertThat(response.header("Content-Type")).isEqualTo("application/octet-stream");
      int head = Integer.parseInt(response.header("Inference-Header-Content-Length"));
      byte[] body = response.body();
      return new Split(
          Json.object(Arrays.copyOf(body, head)), Arrays.copyOfRange(body, head, body.length));
    }

    int binarySize(String output) {
      var parameters = Json.member(output(json, output), "parameters");
      return ((BigDecimal) Json.member(parameters, "binary_data_size")).intValueExact();
    }
  }

  @Test
  @Rule("HTTP-BINARY-01")
  void readsBinaryInputs() {
    var response = inferBinary("simple", request(BINARY0, BINARY1), ROW_BYTES, ROW_BYTES);
    assertThat(integers(output(answered(response), "OUTPUT0"))).startsWith(0L, 2L).endsWith(30L);
  }

  @Test
  @Rule("HTTP-BINARY-02")
  void writesBinaryOutputsInTheirOrderBehindTheJson() {
    var outputs =
        """
        "outputs":[{"name":"OUTPUT0","parameters":{"binary_data":true}},
                   {"name":"OUTPUT1","parameters":{"binary_data":true}}]\
        """;
    var split = Split.of(infer("simple", requestWith(outputs, INPUT0, INPUT1)));

    var doubled = Samples.ints(IntStream.range(0, 16).map(i -> 2 * i).toArray());
    var zero = Samples.ints(new int[16]);
    boolean sumsFirst =
        Json.member(Json.list(split.json(), "outputs").getFirst(), "name").equals("OUTPUT0");
    assertThat(split.blobs()).isEqualTo(sumsFirst ? join(doubled, zero) : join(zero, doubled));
    assertThat(split.binarySize("OUTPUT0")).isEqualTo(64);
    assertThat(members(output(split.json(), "OUTPUT0")))
        .isEqualTo("name datatype shape parameters");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("HTTP-BINARY-03")
  void carriesEveryDataType(DataType type) {
    byte[] bytes = Samples.bytes(type);
    var json =
        requestWith(
            "\"parameters\":{\"binary_data_output\":true}",
            binaryInput("INPUT0", type.name(), "[3]", bytes.length));
    var split = Split.of(inferBinary(Samples.model(type), json, bytes));

    assertThat(split.blobs()).isEqualTo(bytes);
    assertThat(split.binarySize("OUTPUT0")).isEqualTo(bytes.length);
    assertThat(Json.member(output(split.json(), "OUTPUT0"), "datatype")).isEqualTo(type.name());
  }

  @Test
  @Rule("HTTP-BINARY-04")
  void mixesJsonAndBinaryInputs() {
    var first = inferBinary("simple", request(BINARY0, INPUT1), ROW_BYTES);
    assertThat(integers(output(answered(first), "OUTPUT0"))).startsWith(0L, 2L);

    var second = inferBinary("simple", request(INPUT0, BINARY1), ROW_BYTES);
    assertThat(integers(output(answered(second), "OUTPUT1"))).containsOnly(0L);
  }

  @Test
  @Rule("HTTP-BINARY-05")
  void mixesJsonAndBinaryOutputs() {
    var outputs =
        """
        "outputs":[{"name":"OUTPUT0"},{"name":"OUTPUT1","parameters":{"binary_data":true}}]\
        """;
    var split = Split.of(infer("simple", requestWith(outputs, INPUT0, INPUT1)));

    assertThat(integers(output(split.json(), "OUTPUT0"))).startsWith(0L, 2L);
    assertThat(split.blobs()).isEqualTo(Samples.ints(new int[16]));
  }

  @Test
  @Rule("HTTP-BINARY-06")
  void makesAllOutputsBinaryIfNoneIsNamedAndTheRequestSaysSo() {
    var flag = "\"parameters\":{\"binary_data_output\":true}";
    var split = Split.of(infer("simple", requestWith(flag, INPUT0, INPUT1)));
    assertThat(split.blobs()).hasSize(128);
  }

  @Test
  @Rule("HTTP-BINARY-07")
  void usesTheOptionOfEachNamedOutput() {
    var flag = "\"parameters\":{\"binary_data_output\":true},\"outputs\":[{\"name\":\"OUTPUT0\"}]";
    var response = answer("simple", requestWith(flag, INPUT0, INPUT1));
    assertThat(integers(output(response, "OUTPUT0"))).startsWith(0L, 2L);
  }

  @Test
  @Rule("HTTP-BINARY-08")
  void answersWithPlainJsonIfAllBinaryOutputsAreEmpty() {
    var outputs = "\"outputs\":[{\"name\":\"OUTPUT0\",\"parameters\":{\"binary_data\":true}}]";
    var input = input("INPUT0", "FP32", "[0]", "[]");
    var response = infer("identity_fp32", requestWith(outputs, input));

    var parameters = Json.member(output(answered(response), "OUTPUT0"), "parameters");
    assertThat(Json.member(parameters, "binary_data_size")).isEqualTo(BigDecimal.ZERO);
    assertThat(response.header("Inference-Header-Content-Length")).isEmpty();
  }

  @Test
  @Rule("HTTP-BINARY-09")
  void takesABinaryInputOfNoBytes() {
    var response = inferBinary("identity_fp32", request(binaryInput("INPUT0", "FP32", "[0]", 0)));
    assertThat(shape(output(answered(response), "OUTPUT0"))).containsExactly(0L);
  }

  @Test
  @Rule("HTTP-BINARY-10")
  void readsAllOfTheBodyAsJsonIfTheHeaderIsMissing() {
    byte[] head = request(BINARY0, INPUT1).getBytes(UTF_8);
    var headers = Map.of("Content-Type", "application/octet-stream");
    var response = infer("simple", join(head, ROW_BYTES), headers);

    assertThat(response.text()).contains("must not be followed by other values");
    rejectedWith(response, 500, "failed to parse the request JSON buffer: ");
  }

  @Test
  @Rule("HTTP-BINARY-11")
  void rejectsAHeaderLengthThatIsNoNumber() {
    rejected(
        inferBytes("simple", "abc", request(INPUT0, INPUT1).getBytes(UTF_8)),
        "Unable to parse Inference-Header-Content-Length, got: abc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"12abc", "0x10", "", "-", "1 2"})
  @Rule("HTTP-BINARY-25")
  void rejectsAHeaderLengthThatOnlyBeginsAsANumberOrIsEmpty(String length) {
    rejected(
        inferBytes("simple", length, request(INPUT0, INPUT1).getBytes(UTF_8)),
        "Unable to parse Inference-Header-Content-Length, got: " + length);
  }

  @Test
  @Rule("HTTP-BINARY-26")
  void takesAHeaderLengthWithLeadingBlanksAndASign() {
    byte[] json = request(INPUT0, INPUT1).getBytes(UTF_8);
    var response = inferBytes("simple", "  +" + json.length, json);
    assertThat(integers(output(answered(response), "OUTPUT0"))).startsWith(0L, 2L).endsWith(30L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999999999", "-99999999999", "+99999999999999999999"})
  @Rule("HTTP-BINARY-12")
  void rejectsAHeaderLengthBeyond32Bits(String length) {
    rejected(
        inferBytes("simple", length, request(INPUT0, INPUT1).getBytes(UTF_8)),
        "Unable to parse Inference-Header-Content-Length, value is out of range"
            + " [ -2147483648, 2147483647 ], got: "
            + length);
  }

  @Test
  @Rule("HTTP-BINARY-13")
  void rejectsAHeaderLengthOutsideOfTheBody() {
    byte[] body = request(INPUT0, INPUT1).getBytes(UTF_8);
    String text = "inference header size should be in range (0, %d), got: %s";

    rejected(inferBytes("simple", "9999", body), text.formatted(body.length, "9999"));
    rejected(inferBytes("simple", "-1", body), text.formatted(body.length, "-1"));
  }

  @Test
  @Rule("HTTP-BINARY-14")
  void rejectsABodyThatEndsBeforeItsBlobs() {
    rejected(
        inferBinary("simple", request(BINARY0, BINARY1), ROW_BYTES, Arrays.copyOf(ROW_BYTES, 60)),
        "unexpected size for input 'INPUT1', expecting 4 additional bytes for model 'simple'");
  }

  @Test
  @Rule("HTTP-BINARY-15")
  void rejectsBytesThatBelongToNoInput() {
    rejected(
        inferBinary("simple", request(BINARY0, BINARY1), ROW_BYTES, ROW_BYTES, new byte[3]),
        "unexpected additional input data for model 'simple'");
  }

  @Test
  @Rule("HTTP-BINARY-16")
  void rejectsBytesThatDoNotFitTheShape() {
    var wrong = binaryInput("INPUT1", "INT32", "[1,16]", 60);
    rejected(
        inferBinary("simple", request(BINARY0, wrong), ROW_BYTES, Arrays.copyOf(ROW_BYTES, 60)),
        NO_ID
            + "input byte size mismatch for input 'INPUT1' for model 'simple'. Expected 64, got 60");
  }

  @Test
  @Rule("HTTP-BINARY-17")
  void takesARawBodyAsTheOnlyInput() {
    byte[] floats = Samples.bytes(DataType.FP32);
    var split = Split.of(inferBytes("identity_fp32", "0", floats));

    assertThat(split.blobs()).isEqualTo(floats);
    assertThat(shape(output(split.json(), "OUTPUT0"))).containsExactly(3L);
  }

  @Test
  @Rule("HTTP-BINARY-18")
  void rejectsARawBodyForAModelWithTwoInputs() {
    var text =
        NO_ID
            + "Raw request must only have 1 input (found 1) to be deduced but got 2 inputs in"
            + " 'simple' model configuration";
    rejected(inferBytes("simple", "0", ROW_BYTES), text);
    rejected(infer("simple", ""), text);
  }

  @Test
  @Rule("HTTP-BINARY-23")
  void rejectsARawBodyForStringsOfAnyNumber() {
    rejected(
        inferBytes("identity_bytes", "0", new byte[] {1, 2, 3}),
        NO_ID + "For BYTE datatype raw input 'INPUT0', the model must have input shape [1]");
  }

  @Test
  @Rule("HTTP-BINARY-24")
  void namesTheInputOfARawBodyThatIsNoMultipleOfItsElement() {
    rejected(
        inferBytes("identity_fp32", "0", new byte[7]),
        NO_ID
            + "input byte size mismatch for input 'INPUT0' for model 'identity_fp32'. Expected 4, got"
            + " 7");
  }

  private HttpWire.Response twoStrings(byte[] bytes) {
    var json = request(binaryInput("INPUT0", "BYTES", "[2]", bytes.length));
    return inferBinary("identity_bytes", json, bytes);
  }

  @Test
  @Rule("HTTP-BINARY-19")
  void rejectsTooFewStrings() {
    rejected(
        twoStrings(new byte[] {1, 0, 0, 0, 'a'}),
        NO_ID
            + "expected 2 string elements for inference input 'INPUT0' for model 'identity_bytes', got 1");
  }

  @Test
  @Rule("HTTP-BINARY-20")
  void rejectsTooManyStrings() {
    rejected(
        twoStrings(new byte[12]),
        NO_ID
            + "unexpected number of string elements 3 for inference input 'INPUT0' for model"
            + " 'identity_bytes', expecting 2");
  }

  @Test
  @Rule("HTTP-BINARY-21")
  void rejectsAStringLengthThatIsCutOff() {
    rejectedWith(
        twoStrings(new byte[] {1, 0, 0, 0, 'a', 0, 0}),
        NO_ID + "incomplete string length indicator for inference input 'INPUT0'");
    rejected(
        twoStrings(new byte[9]),
        NO_ID
            + "incomplete string length indicator for inference input 'INPUT0' for model"
            + " 'identity_bytes', expecting 4 bytes but only 1 bytes available. Please make sure the"
            + " string length indicator is in one buffer.");
  }

  @Test
  @Rule("HTTP-BINARY-22")
  void rejectsAStringThatIsCutOff() {
    rejectedWith(twoStrings(new byte[] {1, 0, 0, 0, 'a', 9, 0, 0, 0, 'b'}), "");
    rejectedWith(twoStrings(new byte[] {1, 0, 0, 0, 'a', -1, -1, -1, -1, 'b'}), "");
  }
}
