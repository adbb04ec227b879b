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

/** The native routes of Hugging Face's text-embeddings-inference, and vLLM's classification. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TeiRoutesTest {
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

  private void assertFails(int status, String type, String message, String path, String body) {
    HttpWire.Response response = server.post(path, body);

    assertThat(response.text())
        .isEqualTo("{\"error\":\"%s\",\"error_type\":\"%s\"}".formatted(message, type));
    assertThat(response.status()).isEqualTo(status);
  }

  @Test
  void vectorsAreArraysInAnArrayAlsoOfOneText() {
    assertThat(server.post("/embed", "{\"inputs\":\"a b\"}").text()).isEqualTo("[[3.0,2.0,0.5]]");
    assertThat(server.post("/embed", "{\"inputs\":[\"a b\",\"c\"]}").text())
        .isEqualTo("[[3.0,2.0,0.5],[1.0,1.0,0.5]]");
  }

  @Test
  void whatTheModelDecidesReachesItAsParameters() {
    server.post(
        "/embed",
        "{\"inputs\":\"a\",\"truncate\":null,\"truncation_direction\":\"Left\",\"dimensions\":2}");

    assertThat(TextStandIn.EXECUTED)
        .singleElement()
        .satisfies(request ->
            assertThat(request.options().parameters())
                .isEqualTo(
                    Map.of(
                        "truncation_direction", new Parameter.OfString("left"),
                        "dimensions", new Parameter.OfLong(2))));
  }

  @Test
  void classesOfATextAreSortedByScore() {
    String good = "[{\"score\":0.75,\"label\":\"good\"},{\"score\":0.25,\"label\":\"bad\"}]";
    String bad = "[{\"score\":0.75,\"label\":\"bad\"},{\"score\":0.25,\"label\":\"good\"}]";

    assertThat(server.post("/v2/models/mood/predict", "{\"inputs\":\"so good\"}").text())
        .isEqualTo(good);
    assertThat(server.post("/v2/models/mood/predict", "{\"inputs\":[\"so good\"]}").text())
        .isEqualTo(good);
    assertThat(
            server
                .post("/v2/models/mood/predict", "{\"inputs\":[[\"so good\"],[\"so so\"]]}")
                .text())
        .isEqualTo("[" + good + "," + bad + "]");
  }

  @Test
  void twoTextsAreOnePairForAReranker() {
    assertThat(server.post("/v2/models/ranker/predict", "{\"inputs\":[\"q\",\"abc\"]}").text())
        .isEqualTo("[{\"score\":0.03,\"label\":\"LABEL_0\"}]");
    assertThat(
            server
                .post("/v2/models/ranker/predict", "{\"inputs\":[[\"q\",\"abc\"],[\"q\",\"q\"]]}")
                .text())
        .isEqualTo(
            "[[{\"score\":0.03,\"label\":\"LABEL_0\"}],[{\"score\":1.0,\"label\":\"LABEL_0\"}]]");
  }

  @Test
  void pairsAndTextsThatDoNotFitTheModelAreRefused() {
    String mood = "/v2/models/mood/predict";
    String ranker = "/v2/models/ranker/predict";
    assertFails(
        422,
        "Validation",
        "'inputs' has pairs, and model 'mood' takes single texts",
        mood,
        "{\"inputs\":[\"a\",\"b\"]}");
    assertFails(
        422,
        "Validation",
        "'inputs' must be pairs of a query and a text for model 'ranker', which reranks",
        ranker,
        "{\"inputs\":\"a\"}");
    assertFails(
        422,
        "Validation",
        "'inputs' has texts and pairs; send them separately",
        ranker,
        "{\"inputs\":[[\"a\"],[\"a\",\"b\"]]}");
    String shape =
        "an input must be one text or a pair of texts; several are"
            + " [[\\\"a\\\"], [\\\"b\\\"], ...]";
    assertFails(422, "Validation", shape, mood, "{\"inputs\":[\"a\",\"b\",\"c\"]}");
    assertFails(422, "Validation", shape, mood, "{\"inputs\":[]}");
    assertFails(422, "Validation", shape, mood, "{\"inputs\":[[]]}");
    assertFails(
        422,
        "Validation",
        "'inputs' must be a string, or an array of one or two, and is a string",
        mood,
        "{\"inputs\":[[\"a\"],\"b\"]}");
  }

  @Test
  void severalModelsOfTheTasksMustBeNamed() {
    assertFails(
        422,
        "Validation",
        "the request names no model, and there are several for rerank or classify; the text models"
            + " are [minilm, mood, ranker]",
        "/predict",
        "{\"inputs\":\"a\"}");
  }

  @Test
  void failuresHaveTeisKinds() {
    assertFails(
        422,
        "Validation",
        "a text has 600 tokens, and may have 512",
        "/embed",
        "{\"inputs\":\"long\"}");
    assertFails(
        424,
        "Backend",
        "model 'ranker' is for rerank, and the request is for embedding",
        "/v2/models/ranker/embed",
        "{\"inputs\":\"a\"}");
    assertFails(
        424,
        "Backend",
        "model 'minilm' gave NaN for text 0, which JSON has no number for",
        "/embed",
        "{\"inputs\":\"nan\"}");
    assertFails(429, "Overloaded", "too many requests", "/embed", "{\"inputs\":\"overload\"}");
    assertFails(
        422,
        "Validation",
        "'truncation_direction' must be \\\"Left\\\" or \\\"Right\\\", and is \\\"up\\\"",
        "/embed",
        "{\"inputs\":\"a\",\"truncation_direction\":\"up\"}");
  }

  @Test
  void tokensAreAsTheModelTellsThem() {
    assertThat(
            server
                .post(
                    "/v2/models/minilm/tokenize",
                    "{\"inputs\":[\"ab\",\"c\"],\"add_special_tokens\":false}")
                .text())
        .isEqualTo("[[{\"id\":2}],[{\"id\":1}]]");
    assertThat(TextStandIn.EXECUTED)
        .singleElement()
        .satisfies(request -> {
          assertThat(request.outputs()).containsExactly("TOKENIZATION");
          assertThat(request.options().parameters())
              .isEqualTo(Map.of("add_special_tokens", new Parameter.OfBoolean(false)));
        });
  }

  @Test
  void modelsDescribeThemselves() {
    assertThat(server.get("/v2/models/minilm/info").text())
        .startsWith(
            "{\"model_id\":\"minilm\",\"served_model_name\":\"minilm\",\"model_sha\":null,"
                + "\"model_type\":{\"embedding\":{\"pooling\":\"mean\"}},"
                + "\"max_concurrent_requests\":")
        .contains(
            ",\"max_input_length\":512,\"max_client_batch_size\":8,\"auto_truncate\":true,"
                + "\"version\":\"");
    assertThat(server.get("/v2/models/mood/info").text())
        .contains(
            "{\"classifier\":{\"id2label\":{\"0\":\"bad\",\"1\":\"good\"},"
                + "\"label2id\":{\"bad\":0,\"good\":1}}},");
    assertThat(server.get("/v2/models/ranker/info").text())
        .contains("{\"reranker\":{\"id2label\":{\"0\":\"LABEL_0\"},\"label2id\":{\"LABEL_0\":0}}}")
        .contains("\"max_input_length\":null,");
    assertThat(server.get("/info").status()).isEqualTo(422);
  }

  @Test
  void theBestClassOfATextIsVllmsAnswer() {
    HttpWire.Response response =
        server.post("/classify", "{\"model\":\"mood\",\"input\":[\"so good\",\"bad\"]}");

    assertThat(response.text())
        .matches(
            "\\{\"id\":\"classify-[0-9a-f-]{36}\",\"model\":\"mood\",\"object\":\"list\","
                + "\"created\":\\d{10},\"data\":\\["
                + "\\{\"index\":0,\"label\":\"good\",\"probs\":\\[0.25,0.75\\],\"num_classes\":2\\},"
                + "\\{\"index\":1,\"label\":\"bad\",\"probs\":\\[0.75,0.25\\],\"num_classes\":2\\}"
                + "\\],\"usage\":\\{\"prompt_tokens\":7,\"total_tokens\":7\\}\\}");
    assertThat(server.post("/classify", "{\"input\":\"good\"}").text()).contains("\"good\"");
  }
}
