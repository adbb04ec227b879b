package io.nereid.server.http.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests to OpenAI's embeddings that are refused, in its form. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenAiRefusalsTest {
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

  private void assertFails(int status, String type, String code, String message, String body) {
    HttpWire.Response response = server.post(PATH, body);

    assertThat(response.text())
        .isEqualTo(
            "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":%s}}"
                .formatted(message.replace("\"", "\\\""), type, code));
    assertThat(response.status()).isEqualTo(status);
  }

  private void assertInvalid(String message, String body) {
    assertFails(400, "invalid_request_error", "null", message, body);
  }

  @Test
  void tokenIdsAreRefusedWithTheSwitchOfTheClientThatSendsThem() {
    String message =
        "'input' has token ids, and this server takes texts, which the model's own tokenizer"
            + " reads. Of LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False";
    assertInvalid(message, "{\"input\":[[1,2],[3]],\"model\":\"minilm\"}");
    assertInvalid(message, "{\"input\":[1,2]}");
    assertInvalid(message, "{\"input\":[\"a\",[3]]}");
  }

  @Test
  void whatIsNoRequestIsRefusedWithASentence() {
    assertInvalid("the request has no 'input'", "{\"model\":\"minilm\"}");
    assertInvalid("the request has no 'input'", "{\"input\":null}");
    assertInvalid("'input' is empty", "{\"input\":[]}");
    assertInvalid("'input' has an empty text", "{\"input\":[\"a\",\"\"]}");
    assertInvalid("'input' has an empty text", "{\"input\":\"\"}");
    assertInvalid(
        "'input' must be a string or an array of strings, and is null", "{\"input\":[null]}");
    assertInvalid("'input' must be an array of strings, and is an object", "{\"input\":{}}");
    assertInvalid("'input' must be an array of strings, and is true", "{\"input\":true}");
    assertInvalid(
        "'encoding_format' must be \"float\" or \"base64\", and is \"int8\"",
        "{\"input\":\"a\",\"encoding_format\":\"int8\"}");
    assertInvalid(
        "'encoding_format' must be a string, and is a number",
        "{\"input\":\"a\",\"encoding_format\":1}");
    assertInvalid("'dimensions' must be 1 or more, and is 0", "{\"input\":\"a\",\"dimensions\":0}");
    assertInvalid(
        "'dimensions' must be an integer, and is a number", "{\"input\":\"a\",\"dimensions\":1.5}");
    assertInvalid(
        "'truncate' must be true or false, and is a string",
        "{\"input\":\"a\",\"truncate\":\"yes\"}");
    assertInvalid("'model' must be a string, and is an array", "{\"input\":\"a\",\"model\":[]}");
    assertInvalid("the body has 'input' twice", "{\"input\":\"a\",\"input\":\"b\"}");
    assertInvalid("the body must be a JSON object, and is an array", "[]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''",
        "{\"input\":\"a\"",
        "{\"input\":[\"a\"",
        "{\"input\":\"\\ud800\"}",
        "{\"input\":\"\\ud800\\u0041\"}",
        "{\"input\":\"\\udc00\"}",
        "{\"input\":'a'}",
        "{\"input\":\"a\"} x",
        "{\"input\":\"a\",}"
      })
  void whatIsNoJsonIsTheClientsFault(String body) {
    HttpWire.Response response = server.post(PATH, body);

    assertThat(response.text()).contains("failed to parse the request JSON buffer");
    assertThat(response.status()).isEqualTo(400);
  }

  @Test
  void aDeepBodyIsReadAndRefused() {
    String deep = "{\"input\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";

    HttpWire.Response response = server.post(PATH, deep);

    assertThat(response.status()).isEqualTo(400);
    assertThat(response.text()).contains("'input' has token ids");
  }

  @Test
  void theModelsLimitOfTextsIsNamed() {
    String eight = "\"a\",".repeat(7) + "\"a\"";

    assertThat(server.post(PATH, "{\"input\":[" + eight + "]}").status()).isEqualTo(200);
    assertInvalid(
        "'input' has more than 8 texts, which is the most that model 'minilm' takes in a request"
            + " (max_batch_size)",
        "{\"input\":[" + eight + ",\"a\"]}");
    assertInvalid(
        "'input' has more than 8 texts, which is the most that model 'minilm' takes in a request"
            + " (max_batch_size)",
        "{\"input\":[" + "\"a\",".repeat(100_000) + "\"a\"]}");
  }

  @Test
  void anUnknownModelIsRefusedWithTheNamesThatThereAre() {
    assertFails(
        404,
        "invalid_request_error",
        "\"model_not_found\"",
        "Request for unknown model: 'text-embedding-3-small' is not found; the text models are"
            + " [minilm, mood, ranker]",
        "{\"input\":\"a\",\"model\":\"text-embedding-3-small\"}");
  }

  @Test
  void aModelOfAnotherTaskIsRefusedOnce() {
    assertInvalid(
        "model 'ranker' is for rerank, and the request is for embedding",
        "{\"input\":\"a\",\"model\":\"ranker\"}");
  }

  @Test
  void failuresOfTheModelHaveOpenAisForm() {
    assertInvalid("a text has 600 tokens, and may have 512", "{\"input\":[\"a\",\"long\"]}");
    assertFails(
        500,
        "server_error",
        "null",
        "model 'minilm' gave NaN for text 1, which JSON has no number for",
        "{\"input\":[\"a\",\"nan\"]}");
  }
}
