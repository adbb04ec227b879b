package io.nereid.tck.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.RuleTable;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies of inference in gzip and deflate, and others that are not compressed. */
public abstract class CompressionVerification extends HttpVerification {
  private static final byte[] TWO_INTEGERS = {1, 0, 0, 0, 2, 0, 0, 0};

  private static byte[] compressed(String encoding, byte[] body) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream out =
        encoding.equals("gzip") ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
      out.write(body);
    }
    return bytes.toByteArray();
  }

  private static byte[] expanded(HttpWire.Response response) throws IOException {
    var bytes = new ByteArrayInputStream(response.body());
    try (InputStream in =
        switch (response.header("Content-Encoding")) {
          case "gzip" -> new GZIPInputStream(bytes);
          case "deflate" -> new InflaterInputStream(bytes);
          default -> bytes;
        }) {
      return in.readAllBytes();
    }
  }

  @RuleTable(
      """
      HTTP-COMPRESS-01 | gzip | gzip
      HTTP-COMPRESS-01 | deflate | deflate
      HTTP-COMPRESS-01 | identity | identity
      HTTP-COMPRESS-08 | gzip | deflate
      HTTP-COMPRESS-08 | deflate | gzip
      """)
  void readsABodyInTheEncodingThatItSaysOrInTheOtherOne(String said, String used)
      throws IOException {
    byte[] json = request(INPUT0, INPUT1).getBytes(UTF_8);
    byte[] body = used.equals("identity") ? json : compressed(used, json);
    var response = answered(infer("simple", body, Map.of("Content-Encoding", said)));
    assertThat(integers(output(response, "OUTPUT0"))).startsWith(0L, 2L, 4L);
  }

  @RuleCases("HTTP-COMPRESS-07")
  @ValueSource(strings = {"infer", "generate"})
  void takesAnEmptyEncodingForNone(String route) {
    var json = route.equals("infer") ? "{$inputs}" : "{\"INPUT0\":[$row],\"INPUT1\":[$row]}";
    var headers = Map.of("Content-Encoding", "");
    var response =
        wire().send("POST", "/v2/models/simple/" + route, json(json).getBytes(UTF_8), headers);
    assertThat(Json.member(answered(response), "model_name")).isEqualTo("simple");
  }

  @Rule("HTTP-COMPRESS-02")
  void countsTheHeaderLengthBeforeCompression() throws IOException {
    byte[] json = request(binaryInput("INPUT0", "INT32", "[2]", 8)).getBytes(UTF_8);

    var response =
        infer(
            "identity_int32",
            compressed("gzip", join(json, TWO_INTEGERS)),
            Map.of("Content-Encoding", "gzip", LENGTH, Integer.toString(json.length)));

    assertThat(integers(output(answered(response), "OUTPUT0"))).containsExactly(1L, 2L);
  }

  @RuleCases("HTTP-COMPRESS-05")
  @ValueSource(strings = {"gzip", "deflate"})
  void refusesABodyOfNothing(String encoding) {
    rejected(
        infer("simple", new byte[0], Map.of("Content-Encoding", encoding)),
        "nothing to be decompressed");
  }

  @RuleCases("HTTP-COMPRESS-03")
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip|gzip",
        "deflate|deflate",
        "gzip;q=0.5, deflate|deflate",
        "deflate;q=0.5, gzip;q=0.5|deflate",
        "identity, gzip|''",
        "gzip;q=0|''",
        "br, *|''"
      })
  void compressesAResponseAsTheClientPrefers(String accepted, String encoding) throws IOException {
    byte[] json = request(INPUT0, INPUT1).getBytes(UTF_8);

    var response = infer("simple", json, Map.of("Accept-Encoding", accepted));

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Encoding")).isEqualTo(encoding);
    assertThat(integers(output(Json.parse(expanded(response)), "OUTPUT0"))).startsWith(0L, 2L, 4L);
  }

  @Rule("HTTP-COMPRESS-04")
  void compressesBinaryResponsesAsAWholeAndErrorsNotAtAll() throws IOException {
    var members = "\"parameters\":{\"binary_data_output\":true}";
    byte[] json = requestWith(members, input("INPUT0", "INT32", "[2]", "[1,2]")).getBytes(UTF_8);
    Map<String, String> gzip = Map.of("Accept-Encoding", "gzip");

    var response = infer("identity_int32", json, gzip);

    assertThat(BinaryResponse.split(response, expanded(response)).blobs()).isEqualTo(TWO_INTEGERS);
    var failure = infer("identity_int32", "{".getBytes(UTF_8), gzip);
    assertThat(failure.header("Content-Encoding")).isEmpty();
    assertThat(error(failure, 500)).startsWith("failed to parse the request JSON buffer: ");
  }

  @RuleTable(
      """
      HTTP-COMPRESS-06 | GET  | /v2                                        | ``
      HTTP-COMPRESS-06 | GET  | /v2/models/identity_int32                  | ``
      HTTP-COMPRESS-06 | GET  | /v2/models/identity_int32/config           | ``
      HTTP-COMPRESS-06 | GET  | /v2/models/identity_int32/stats            | ``
      HTTP-COMPRESS-06 | GET  | /v2/models/stats                           | ``
      HTTP-COMPRESS-06 | POST | /v2/repository/index                       | ``
      HTTP-COMPRESS-06 | POST | /v2/models/identity_int32/generate         | {"INPUT0":1}
      HTTP-COMPRESS-06 | POST | /v2/models/identity_int32/generate_stream  | {"INPUT0":1}
      """)
  void compressesNoOtherResponse(String method, String target, String body) {
    var response =
        wire().send(method, target, body.getBytes(UTF_8), Map.of("Accept-Encoding", "gzip"));

    assertThat(response.status()).as(response.text()).isEqualTo(200);
    assertThat(response.header("Content-Encoding")).isEmpty();
    assertThat(response.text()).containsPattern("^(data: )?[\\[{]");
  }
}
