package io.nereid.tck.http;

import io.nereid.tck.Rule;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Inference requests with several faults: the one that is checked first is named. The order within
 * the validation by the model is with the other rules of that.
 */
public abstract class FaultOrderVerification extends HttpVerification {
  private static final String ENCODING = "Content-Encoding";
  private static final String LENGTH = "Inference-Header-Content-Length";
  private static final byte[] NO_JSON = {'{'};

  /** Of a request whose body cannot be decoded, whatever it is. */
  private static final Map<String, String> WRONG = Map.of(ENCODING, "br", LENGTH, "abc");

  @Test
  @Rule("HTTP-ERROR-32")
  void namesTheMethodBeforeTheModel() {
    rejected(
        wire().send("GET", "/v2/models/unknown/infer", new byte[0], WRONG),
        405,
        "Method Not Allowed");
  }

  @Test
  @Rule("HTTP-ERROR-32")
  void namesTheVersionThenTheModelBeforeTheEncoding() {
    rejectedWith(
        infer("unknown/versions/99999999999999999999", NO_JSON, WRONG),
        "failed to get model version from specified version string");
    rejected(
        infer("unknown", NO_JSON, WRONG), 404, "Request for unknown model: 'unknown' is not found");
    rejected(
        infer("repeat", NO_JSON, WRONG),
        501,
        "HTTP end point doesn't support models with decoupled transaction policy");
  }

  @Test
  @Rule({"HTTP-ERROR-32", "HTTP-ERROR-33"})
  void namesTheEncodingBeforeTheLengthOfTheJson() {
    rejected(infer("simple", NO_JSON, WRONG), 501, "Unsupported compression type");
    rejected(
        infer("simple", new byte[0], Map.of(ENCODING, "gzip", LENGTH, "abc")),
        "nothing to be decompressed");
  }

  @Test
  @Rule("HTTP-ERROR-33")
  void namesTheLengthOfTheJsonBeforeTheJson() {
    rejected(
        inferBytes("simple", "abc", NO_JSON),
        "Unable to parse Inference-Header-Content-Length, got: abc");
    rejected(
        inferBytes("simple", "2", NO_JSON),
        "inference header size should be in range (0, 1), got: 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"id":7,"inputs":[}                             | failed to parse the request JSON buffer:
          {"inputs":{},"parameters":[1],"id":7}           | Unable to parse 'id':
          {"inputs":{},"parameters":[1]}                  | failed to get request params.:
          {"outputs":{},"inputs":{}}                      | Unable to parse 'inputs':
          {"outputs":{},"inputs":[{"data":[],"name":7},1]} | Unable to parse 'name':
          """)
  @Rule("HTTP-ERROR-32")
  void readsTheJsonInTheOrderOfTheProtocolWhateverTheOrderOfItsMembers(
      String json, String beginning) {
    rejectedWith(infer("simple", json), 500, beginning);
  }

  @Test
  @Rule("HTTP-ERROR-32")
  void namesAnInputBeforeBytesThatBelongToNoneAndTheseBeforeAnOutput() {
    String unknown = input("INPUT0", "INT33", "[1,16]", "[" + ROW + "]");
    rejected(
        inferBinary("simple", request(unknown, INPUT1), new byte[3]),
        "invalid datatype for input INPUT0");
    rejected(
        inferBinary("simple", requestWith("\"outputs\":{}", INPUT0, INPUT1), new byte[3]),
        "unexpected additional input data for model 'simple'");
  }

  @Test
  @Rule("HTTP-ERROR-32")
  void namesAnOutputThatCannotBeReadBeforeInputsThatTheModelDoesNotHave() {
    rejectedWith(
        infer("simple", requestWith("\"outputs\":{}", INPUT0)), 500, "Unable to parse 'outputs':");
  }
}
