package io.nereid.server.http.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.request.Parameter;
import io.nereid.server.support.TextStandIn;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reranks of Cohere, Jina, vLLM and OVMS, whose one answer serves all, and that of TEI. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RerankRoutesTest {
  private static final String ID = "\\{\"id\":\"rerank-[0-9a-f-]{36}\",\"model\":\"ranker\",";
  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":9,\"total_tokens\":9},"
          + "\"meta\":{\"api_version\":{\"version\":\"2\"},\"billed_units\":{\"search_units\":1},"
          + "\"tokens\":{\"input_tokens\":9,\"output_tokens\":0}}}";

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

  private void assertFails(int status, String message, String body) {
    HttpWire.Response response = server.post("/rerank", body);

    assertThat(response.text())
        .isEqualTo(
            "{\"error\":\"%s\",\"error_type\":\"Validation\",\"message\":\"%s\"}"
                .formatted(message, message));
    assertThat(response.status()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/rerank", "/v1/rerank", "/v2/rerank", "/v2/models/ranker/v2/rerank"})
  void theBestDocumentIsFirst(String path) {
    HttpWire.Response response =
        server.post(
            path, "{\"model\":\"ranker\",\"query\":\"q\",\"documents\":[\"abc\",\"q\",\"defgh\"]}");

    assertThat(response.text().replaceFirst("^" + ID, ""))
        .isEqualTo(
            "\"results\":[{\"index\":1,\"relevance_score\":1.0},"
                + "{\"index\":2,\"relevance_score\":0.05},{\"index\":0,\"relevance_score\":0.03}],"
                + USAGE);
    assertThat(response.status()).isEqualTo(200);
  }

  @Test
  void documentsMayBeObjectsAndAreReturnedAsTheyCame() {
    HttpWire.Response response =
        server.post(
            "/v1/rerank",
            "{\"query\":\"q\",\"documents\":[{\"id\":1,\"text\":\"a \\u00e9\\n\\\"\"},\"\",\"q\"],"
                + "\"top_n\":2,\"return_documents\":true,\"max_tokens_per_doc\":4096}");

    assertThat(response.text())
        .contains(
            "\"results\":[{\"index\":2,\"relevance_score\":1.0,\"document\":{\"text\":\"q\"}},"
                + "{\"index\":0,\"relevance_score\":0.05,"
                + "\"document\":{\"text\":\"a \\u00e9\\n\\\"\"}}],");
  }

  @Test
  void theQueryIsWithEachDocument() {
    assertThat(
            server
                .post(
                    "/rerank", "{\"query\":\"q\",\"documents\":[\"a\",\"b\"],\"raw_scores\":true}")
                .status())
        .isEqualTo(200);
    assertThat(TextStandIn.EXECUTED)
        .singleElement()
        .satisfies(request -> {
          assertThat(request.inputs())
              .extracting(input -> input.name() + input.shape())
              .containsExactly("QUERY[2,1]", "TEXT[2,1]");
          assertThat(request.options().parameters())
              .isEqualTo(Map.of("raw_scores", new Parameter.OfBoolean(true)));
        });
  }

  @Test
  void aRequestWithTextsHasTeisAnswer() {
    assertThat(server.post("/rerank", "{\"query\":\"q\",\"texts\":[\"abc\",\"q\"]}").text())
        .isEqualTo("[{\"index\":1,\"score\":1.0},{\"index\":0,\"score\":0.03}]");
    assertThat(
            server
                .post("/rerank", "{\"query\":\"q\",\"texts\":[\"abc\",\"q\"],\"return_text\":true}")
                .text())
        .isEqualTo(
            "[{\"index\":1,\"score\":1.0,\"text\":\"q\"},"
                + "{\"index\":0,\"score\":0.03,\"text\":\"abc\"}]");
  }

  @Test
  void aLongAnswerWithItsDocumentsIsWhole() {
    String document = "x".repeat(300_000);

    HttpWire.Response response =
        server.post(
            "/rerank",
            "{\"query\":\"q\",\"documents\":[\"%s\",\"q\"],\"return_documents\":true}"
                .formatted(document));

    assertThat(response.text())
        .contains("\"document\":{\"text\":\"" + document + "\"}}")
        .endsWith("}}}");
  }

  @Test
  void whatIsNoRequestIsRefusedWithASentence() {
    assertFails(400, "the request has no 'query'", "{\"documents\":[\"a\"]}");
    assertFails(400, "the request has no 'documents'", "{\"query\":\"q\"}");
    assertFails(400, "'documents' is empty", "{\"query\":\"q\",\"documents\":[]}");
    assertFails(400, "'texts' is empty", "{\"query\":\"q\",\"texts\":[]}");
    assertFails(400, "'query' has an empty text", "{\"query\":\"\",\"documents\":[\"a\"]}");
    assertFails(
        400,
        "'documents[1]' must be a string, or an object with 'text', and is a number",
        "{\"query\":\"q\",\"documents\":[\"a\",7]}");
    assertFails(
        400,
        "'documents[0]' must be a string, or an object with 'text', and is an object",
        "{\"query\":\"q\",\"documents\":[{\"title\":\"a\"}]}");
    assertFails(
        400,
        "the request has 'texts' and 'documents', and may have one",
        "{\"query\":\"q\",\"documents\":[\"a\"],\"texts\":[\"a\"]}");
    assertFails(
        400,
        "'top_n' must be 1 or more, and is 0",
        "{\"query\":\"q\",\"documents\":[\"a\"],\"top_n\":0}");
    assertFails(
        404,
        "Request for unknown model: 'x' is not found; the text models are [minilm, mood, ranker]",
        "{\"query\":\"q\",\"documents\":[\"a\"],\"model\":\"x\"}");
  }

  @Test
  void queriesThatTogetherAreTooLongAreRefused(@TempDir Path repository) throws IOException {
    try (var small = new TextServer(repository, "--http-max-input-size=1000")) {
      String query = "x".repeat(485); // with its length twice, and twice that of a
      String request = "{\"query\":\"%s\",\"documents\":[\"a\",\"b\"]}";

      assertThat(small.post("/rerank", request.formatted(query)).status()).isEqualTo(200);
      HttpWire.Response refused = small.post("/rerank", request.formatted("x".repeat(500)));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains(
              "the texts of the request are 1018 bytes as tensors, and may be 1000"
                  + " (--http-max-input-size)");
    }
  }
}
