package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths, methods and the rules of HTTP itself. */
public abstract class RouteVerification extends HttpVerification {
  private static final String CHUNKED =
      """
      POST /v2/models/simple/infer HTTP/1.1\r
      Host: x\r
      Content-Type: application/json\r
      Transfer-Encoding: chunked\r
      \r
      """;

  @RuleCases("HTTP-ROUTE-01")
  @ValueSource(
      strings = {
        "/",
        "/v1",
        "/v2/",
        "/V2",
        "/v2/models/",
        "/v2/models/simple/",
        "/v2/models/simple/infer/",
        "/v2/models/simple/versions/v1",
        "/v2/models/simple/versions/",
        "/v2/models/simple/nothing",
        "/v2/models/simple/versions/1/trace/setting",
        "/v2/health",
        "/v2/health/ready/"
      })
  void respondsNotFoundToAnUnknownPath(String target) {
    rejected(get(target), 404, "Not Found");
  }

  @RuleCases("HTTP-ROUTE-02")
  @CsvSource({
    "POST,/v2",
    "POST,/v2/health/live",
    "POST,/v2/models/simple",
    "POST,/v2/models/simple/config",
    "POST,/v2/models/stats",
    "POST,/v2/models/simple/stats",
    "PUT,/v2/models/simple/ready",
    "GET,/v2/models/simple/infer",
    "GET,/v2/models/unknown/infer",
    "PUT,/v2/trace/setting",
    "PUT,/v2/models/unknown/trace/setting",
    "DELETE,/v2/logging",
    "DELETE,/v2/models/simple/versions/1/infer"
  })
  void respondsMethodNotAllowedToTheWrongMethod(String method, String target) {
    rejected(send(method, target, ""), 405, "Method Not Allowed");
  }

  private static String chunk(String content) {
    return Integer.toHexString(content.length()) + "\r\n" + content + "\r\n";
  }

  private HttpWire.Response exchange(String request) {
    return wire().exchange(request.getBytes(UTF_8));
  }

  private static void assertSums(HttpWire.Response response) {
    assertThat(integers(output(answered(response), "OUTPUT0"))).startsWith(0L, 2L);
  }

  @Rule("HTTP-ROUTE-03")
  void countsHeadAsTheWrongMethod() {
    assertThat(send("HEAD", "/v2", "").status()).isEqualTo(405);
  }

  @Rule("HTTP-ROUTE-04")
  void ignoresTheQuery() {
    assertThat(get("/v2/health/ready?verbose=1&x").status()).isEqualTo(200);
    assertThat(get("/v2?a/b").status()).isEqualTo(200);
  }

  @RuleCases("HTTP-ROUTE-05")
  @ValueSource(strings = {"%73imple", "simpl%65", "%73%69%6D%70%6c%65"})
  void decodesPercentSignsInAModelName(String name) {
    var metadata = Json.object(get("/v2/models/" + name).body());
    assertThat(Json.member(metadata, "name")).isEqualTo("simple");
  }

  @Rule("HTTP-ROUTE-06")
  void rejectsAVersionThatIsNoNumberOf64Bits() {
    var digits = "99999999999999999999999";
    rejected(
        get("/v2/models/simple/versions/" + digits),
        "failed to get model version from specified version string '%s' (details: stol), version should be an integral value > 0"
            .formatted(digits));
  }

  @Rule("HTTP-ROUTE-07")
  void readsAChunkedBody() {
    var json = request(INPUT0, INPUT1);
    var chunks = new StringBuilder(CHUNKED);
    for (int i = 0; i < json.length(); i += 7) {
      chunks.append(chunk(json.substring(i, Math.min(json.length(), i + 7))));
    }
    assertSums(exchange(chunks + chunk("")));
  }

  @Rule("HTTP-ROUTE-12")
  void refusesABodyInMoreThan65536Chunks() {
    var last = chunk(request(INPUT0, INPUT1)) + chunk("");
    assertSums(exchange(CHUNKED + chunk(" ").repeat(65_535) + last));
    var more = exchange(CHUNKED + chunk(" ").repeat(65_536) + last);
    assumeThat(more.status()).as("the number of chunks is not limited").isNotEqualTo(200);
    var text =
        "Chunked request body exceeds maximum of 65536 non-empty chunks. Send fewer or larger HTTP"
            + " chunks.";
    assertThat(error(more, 400)).isEqualTo(text);
  }

  @Rule("HTTP-ROUTE-13")
  void refusesAContentLengthThatIsNoNumber() {
    var request = "POST /v2/models/simple/infer HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n";
    HttpWire.Response response;
    try {
      response = exchange(request);
    } catch (UncheckedIOException closed) {
      assumeThat(closed).as("a connection that is closed without a response").isNull();
      throw closed;
    }
    assertThat(error(response, 400)).isEqualTo("Unable to parse Content-Length, got: abc");
  }

  @Rule("HTTP-ROUTE-08")
  void letsAClientThatExpectsItContinue() {
    var json = request(INPUT0, INPUT1);
    var request =
        "POST /v2/models/simple/infer HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(json.length(), json);
    assertSums(exchange(request));
  }

  @Rule("HTTP-ROUTE-09")
  void answersPipelinedRequestsInOrder() {
    var get = "GET %s HTTP/1.1\r\nHost: x\r\n\r\n";
    var two = get.formatted("/v2/models/simple") + get.formatted("/v2/models/identity_fp32");

    var first = exchange(two);
    var second = wire().read();

    assertThat(Json.member(Json.object(first.body()), "name")).isEqualTo("simple");
    assertThat(Json.member(Json.object(second.body()), "name")).isEqualTo("identity_fp32");
  }

  @Rule("HTTP-ROUTE-10")
  void answersHttp10() {
    var response = exchange("GET /v2/health/live HTTP/1.0\r\n\r\n");
    assumeThat(response.status()).as("HTTP/1.0 is rejected").isNotEqualTo(505);
    assertThat(response.status()).isEqualTo(200);
  }

  @Rule("HTTP-ROUTE-11")
  void takesHeaderNamesInAnyCase() {
    var json = request(INPUT0, INPUT1);
    var request =
        "POST /v2/models/simple/infer HTTP/1.1\r\nhOST: x\r\nINFERENCE-HEADER-CONTENT-LENGTH: %d\r\ncontent-length: %d\r\n\r\n%s"
            .formatted(json.length(), json.length(), json);
    assertSums(exchange(request));
  }
}
