package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.request.Parameter;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text models as they are served, compared with what Python says of them. */
@Timeout(120)
class TextModelsTest {
  private static ServedTexts served;

  @BeforeAll
  static void open() throws IOException {
    served = ServedTexts.open(ServedTexts.MODELS);
  }

  @AfterAll
  static void close() {
    served.close();
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Expected(List<String> texts, int tokens, float[] result) {}

  private static List<Expected> expected(String model) throws IOException {
    List<Expected> all = new ArrayList<>();
    var file = ServedTexts.MODELS.resolve(model).resolve("expected.json");
    for (JsonElement each : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
      JsonObject object = each.getAsJsonObject();
      List<String> texts =
          object.get("text") instanceof JsonArray pair
              ? pair.asList().stream().map(JsonElement::getAsString).toList()
              : List.of(object.get("text").getAsString());
      JsonArray numbers = object.getAsJsonArray("result");
      float[] result = new float[numbers.size()];
      for (int i = 0; i < result.length; i++) {
        result[i] = numbers.get(i).getAsFloat();
      }
      all.add(new Expected(texts, object.getAsJsonArray("ids").size(), result));
    }
    return all;
  }

  private static void assertClose(float[] found, float[] expected) {
    assertThat(ServedTexts.cosine(found, expected)).isGreaterThan(0.9999999);
    for (int i = 0; i < expected.length; i++) {
      assertThat(found[i]).isCloseTo(expected[i], within(2e-6f));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mean", "cls", "last", "pooled", "quantised"})
  void vectorsAreThoseOfPythonAloneAndInABatch(String model) throws IOException {
    List<Expected> expected = expected(model);
    String[] texts = expected.stream().map(each -> each.texts().getFirst()).toArray(String[]::new);

    try (ModelResponse response =
        served.engine().infer(ServedTexts.request(model, Map.of(), texts))) {
      List<float[]> vectors = ServedTexts.rows(response.floats("EMBEDDING"), texts.length);
      for (int i = 0; i < texts.length; i++) {
        assertClose(vectors.get(i), expected.get(i).result());
        assertThat(response.ints("TOKENS")[i]).isEqualTo(expected.get(i).tokens());
        assertThat(served.embed(model, texts[i]).getFirst())
            .usingComparatorWithPrecision(1e-6f)
            .containsExactly(vectors.get(i));
      }
    }
  }

  @Test
  void vectorsOfManyClientsAreTheirOwn() throws IOException {
    List<Expected> expected = expected("mean");
    List<CompletableFuture<ModelResponse>> responses =
        Stream.iterate(0, i -> i + 1)
            .limit(200)
            .map(i -> expected.get(i % expected.size()).texts().getFirst())
            .map(text -> served.engine().inferAsync(ServedTexts.request("mean", Map.of(), text)))
            .toList();

    for (int i = 0; i < responses.size(); i++) {
      try (ModelResponse response = responses.get(i).join()) {
        assertClose(response.floats("EMBEDDING"), expected.get(i % expected.size()).result());
      }
    }
  }

  @Test
  void scoresOfPairsAreThoseOfPython() throws IOException {
    List<Expected> pairs = expected("rerank");
    String[] queries = pairs.stream().map(each -> each.texts().getFirst()).toArray(String[]::new);
    String[] texts = pairs.stream().map(each -> each.texts().getLast()).toArray(String[]::new);
    ModelRequest.Builder request =
        ModelRequest.to("rerank")
            .input("QUERY", Shape.of(queries.length, 1), queries)
            .input("TEXT", Shape.of(texts.length, 1), texts);

    try (ModelResponse response = served.engine().infer(request.build())) {
      for (int i = 0; i < texts.length; i++) {
        assertThat(response.floats("SCORE")[i]).isCloseTo(pairs.get(i).result()[0], within(2e-6f));
        assertThat(response.ints("TOKENS")[i]).isEqualTo(pairs.get(i).tokens());
      }
    }
    Parameter yes = new Parameter.OfBoolean(true);
    try (ModelResponse raw =
        served.engine().infer(ServedTexts.with(Map.of("raw_scores", yes), request))) {
      float score = pairs.getFirst().result()[0];
      assertThat(raw.floats("SCORE")[0])
          .isCloseTo((float) Math.log(score / (1 - score)), within(1e-4f));
    }
  }

  @Test
  void scoresOfLabelsAreThoseOfPython() throws IOException {
    for (Expected pair : expected("classify")) {
      ModelRequest request =
          ModelRequest.to("classify")
              .input("QUERY", Shape.of(1, 1), pair.texts().getFirst())
              .input("TEXT", Shape.of(1, 1), pair.texts().getLast())
              .build();
      try (ModelResponse response = served.engine().infer(request)) {
        assertClose(response.floats("SCORES"), pair.result());
      }
    }
    try (ModelResponse single =
        served.engine().infer(ServedTexts.request("classify", Map.of(), "the sea is blue"))) {
      float[] scores = single.floats("SCORES");
      assertThat(scores[0] + scores[1] + scores[2]).isCloseTo(1, within(1e-6f));
    }
  }

  @Test
  void theCompletedConfigurationSaysWhatTheModelIs() {
    assertThat(parameter("mean", "task")).isEqualTo("embedding");
    assertThat(parameter("mean", "dimension")).isEqualTo("8");
    assertThat(parameter("mean", "max_length")).isEqualTo("16");
    assertThat(parameter("mean", "pooling")).isEqualTo("mean");
    assertThat(parameter("cls", "max_length")).isEqualTo("32");
    assertThat(parameter("cls", "prompts"))
        .isEqualTo("{\"passage\":\"passage: \",\"query\":\"query: \"}");
    assertThat(parameter("cls", "prompt_name")).isEqualTo("query");
    assertThat(parameter("rerank", "task")).isEqualTo("rerank");
    assertThat(parameter("classify", "labels")).isEqualTo("[\"calm\",\"rough\",\"unknown\"]");
    assertThat(parameter("quantised", "one_text_per_run")).isEqualTo("true");
  }

  private static String parameter(String model, String key) {
    return served.engine().configuration(model).parameters().getOrDefault(key, "");
  }
}
