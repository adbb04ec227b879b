package io.nereid.tck.http;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import java.util.Map;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Inference requests with several faults: the one that is checked first is named. The order within
 * the validation by the model is with the other rules of that.
 */
public abstract class FaultOrderVerification extends HttpVerification {
  private static final byte[] NO_JSON = {'{'};

  /** Of a request whose body cannot be decoded, whatever it is. */
  private static final Map<String, String> WRONG = Map.of("Content-Encoding", "br", LENGTH, "abc");

  @RuleTable(
      """
      HTTP-ERROR-32 | GET  | unknown/infer                               | 405 | Method Not Allowed
      HTTP-ERROR-32 | POST | unknown/versions/99999999999999999999/infer | 400 | failed to get model version from specified version string...
      HTTP-ERROR-32 | POST | unknown/infer                               | 404 | Request for unknown model: 'unknown' is not found
      HTTP-ERROR-32 | POST | repeat/infer                                | 501 | HTTP end point doesn't support models with decoupled transaction policy
      """)
  void namesTheMethodThenTheVersionThenTheModelThenTheEncoding(
      String method, String target, int status, String text) {
    byte[] body = method.equals("POST") ? NO_JSON : new byte[0];
    rejected(wire().send(method, "/v2/models/" + target, body, WRONG), status, text);
  }

  @Rule({"HTTP-ERROR-32", "HTTP-ERROR-33"})
  void namesTheEncodingBeforeTheLengthOfTheJson() {
    rejected(infer("simple", NO_JSON, WRONG), 501, "Unsupported compression type");
    rejected(
        infer("simple", new byte[0], Map.of("Content-Encoding", "gzip", LENGTH, "abc")),
        "nothing to be decompressed");
  }

  @RuleCases("HTTP-ERROR-33")
  @CsvSource({
    "abc,'Unable to parse Inference-Header-Content-Length, got: abc'",
    "2,'inference header size should be in range (0, 1), got: 2'"
  })
  void namesTheLengthOfTheJsonBeforeTheJson(String length, String text) {
    rejected(inferBytes("simple", length, NO_JSON), text);
  }

  @RuleTable(
      """
      HTTP-ERROR-32 | {"id":7,"inputs":[}                              | failed to parse the request JSON buffer: ...
      HTTP-ERROR-32 | {"inputs":{},"parameters":[1],"id":7}            | Unable to parse 'id':...
      HTTP-ERROR-32 | {"inputs":{},"parameters":[1]}                   | failed to get request params.:...
      HTTP-ERROR-32 | {"outputs":{},"inputs":{}}                       | Unable to parse 'inputs':...
      HTTP-ERROR-32 | {"outputs":{},"inputs":[{"data":[],"name":7},1]} | Unable to parse 'name':...
      HTTP-ERROR-32 | {"inputs":[$0],"outputs":{}}                     | Unable to parse 'outputs':...
      """)
  void readsTheJsonInTheOrderOfTheProtocolWhateverTheOrderOfItsMembers(String json, String text) {
    rejected(infer("simple", json), 500, text);
  }

  @RuleTable(
      """
      HTTP-ERROR-32 | {"inputs":[{"name":"INPUT0","datatype":"INT33","shape":[1,16],"data":[$row]},$1]} | invalid datatype for input INPUT0
      HTTP-ERROR-32 | {$inputs,"outputs":{}}                                                            | unexpected additional input data for model 'simple'
      """)
  void namesAnInputBeforeBytesThatBelongToNoneAndTheseBeforeAnOutput(String json, String text) {
    rejected(inferBinary("simple", json, new byte[3]), text);
  }
}
