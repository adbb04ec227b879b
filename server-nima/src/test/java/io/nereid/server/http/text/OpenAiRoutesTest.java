package io.nereid.server.http.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.Parameter;
import io.nereid.server.support.TextStandIn;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** OpenAI's embeddings and models. Source: its API reference, and what its libraries send. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenAiRoutesTest {
  private static final String PATH = "/v1/embeddings";

  private TextServer server;

  @BeforeAll
  void start(@TempDir Path repository) throws IOException {
    server = new TextServer(repository);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @BeforeEach
  void forget() {
    TextStandIn.EXECUTED.clear();
  }

  @Test
  void aTextHasItsVector() {
    HttpWire.Response response = server.post(PATH, "{\"input\":\"a b\",\"model\":\"minilm\"}");

    assertThat(response.text())
        .isEqualTo(
            "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,"
                + "\"embedding\":[3.0,2.0,0.5]}],\"model\":\"minilm\","
                + "\"usage\":{\"prompt_tokens\":4,\"total_tokens\":4}}");
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
  }

  @Test
  void theTextsOfARequestAreOneBatch() {
    HttpWire.Response response = server.post(PATH, "{\"input\":[\"a\",\"b c\",\"\\u00e9\\n\"]}");

    assertThat(response.text())
        .contains("\"index\":0,\"embedding\":[1.0,1.0,0.5]}")
        .contains("\"index\":1,\"embedding\":[3.0,2.0,0.5]}")
        .contains("\"index\":2,\"embedding\":[2.0,1.0,0.5]}],")
        .contains("\"total_tokens\":10}");
    assertThat(TextStandIn.EXECUTED)
        .singleElement()
        .satisfies(request ->
            assertThat(request.inputs().getFirst().shape().toString()).isEqualTo("[3,1]"));
  }

  @Test
  void vectorsAreLittleEndianFloatsInBase64IfTheClientWants() {
    HttpWire.Response response =
        server.post(PATH, "{\"input\":[\"ab\",\"c\"],\"encoding_format\":\"base64\"}");

    List<?> data = Json.list(Json.parse(response.body()), "data");
    assertThat(floats(data.get(0))).containsExactly(2, 1, 0.5f);
    assertThat(floats(data.get(1))).containsExactly(1, 1, 0.5f);
  }

  private static float[] floats(Object row) {
    byte[] bytes = Base64.getDecoder().decode((String) Json.member(row, "embedding"));
    float[] floats = new float[bytes.length / 4];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(floats);
    return floats;
  }

  @Test
  void whatTheModelDecidesReachesItAsParameters() {
    HttpWire.Response response =
        server.post(
            PATH,
            "{\"input\":\"long\",\"dimensions\":2,\"truncate\":true,\"prompt_name\":\"query\","
                + "\"normalize\":false,\"user\":\"u\",\"encoding_format\":null}");

    assertThat(response.text()).contains("\"embedding\":[4.0,1.0]");
    assertThat(TextStandIn.EXECUTED)
        .singleElement()
        .satisfies(request ->
            assertThat(request.options().parameters())
                .isEqualTo(
                    Map.of(
                        "dimensions", new Parameter.OfLong(2),
                        "truncate", new Parameter.OfBoolean(true),
                        "prompt_name", new Parameter.OfString("query"),
                        "normalize", new Parameter.OfBoolean(false))));
  }

  @Test
  void theBodyMayBeCompressed() throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write("{\"input\":\"a b\"}".getBytes(UTF_8));
    }

    HttpWire.Response response =
        server.send("POST", PATH, packed.toByteArray(), Map.of("Content-Encoding", "gzip"));

    assertThat(response.text()).contains("[3.0,2.0,0.5]");
  }

  @Test
  void aLargeRequestAndItsLargeResponseAreWhole() {
    String text = "x".repeat(100_000) + "\\n";
    String texts = String.join(",", Collections.nCopies(8, "\"" + text + "\""));

    HttpWire.Response response = server.post(PATH, "{\"input\":[" + texts + "]}");

    assertThat(Json.list(Json.parse(response.body()), "data")).hasSize(8);
    assertThat(response.text()).contains("[100001.0,1.0,0.5]");
  }

  /** No time to come again: the model has executed the request. */
  @Test
  void anOverloadOfTheModelHasOpenAisCode() {
    HttpWire.Response response = server.post(PATH, "{\"input\":\"overload\"}");

    assertThat(response.status()).isEqualTo(429);
    assertThat(response.header("Retry-After")).isEmpty();
    assertThat(response.text())
        .isEqualTo(
            "{\"error\":{\"message\":\"too many requests\",\"type\":\"requests\",\"param\":null,"
                + "\"code\":\"rate_limit_exceeded\"}}");
  }

  @Test
  void otherMethodsAreRefusedInTheSameForm() {
    HttpWire.Response response = server.get(PATH);

    assertThat(response.status()).isEqualTo(405);
    assertThat(response.header("Allow")).isEqualTo("POST");
    assertThat(response.text()).contains("{\"error\":{\"message\":\"Method Not Allowed\"");
  }

  @Test
  void theModelsAreListed() {
    HttpWire.Response response = server.get("/v1/models");

    assertThat(response.text())
        .matches(
            "\\{\"object\":\"list\",\"data\":\\["
                + "\\{\"id\":\"minilm\",\"object\":\"model\",\"created\":\\d{10},"
                + "\"owned_by\":\"nereid\"\\},\\{\"id\":\"mood\".*\\{\"id\":\"ranker\".*\\}\\]\\}");
    assertThat(server.get("/v1/models/minilm").text())
        .matches("\\{\"id\":\"minilm\",\"object\":\"model\",.*\\}");
    assertThat(server.get("/v1/models/none").status()).isEqualTo(404);
    assertThat(server.get("/v1/models/none").text())
        .contains("'none' is no text model; the text models are [minilm, mood, ranker]");
  }

  @Test
  void thePathMayNameTheModel() {
    String body = "{\"input\":\"a\",\"model\":\"whatever the client has to send\"}";
    assertThat(server.post("/v2/models/minilm/v1/embeddings", body).text())
        .contains("\"model\":\"minilm\"");
    assertThat(server.post("/v2/models/minilm/versions/1/v1/embeddings", body).status())
        .isEqualTo(200);
    assertThat(server.post("/v2/models/minilm/versions/7/v1/embeddings", body).status())
        .isEqualTo(404);
    assertThat(server.post("/v2/models/none/v1/embeddings", body).text())
        .contains("\"model_not_found\"");
  }
}
