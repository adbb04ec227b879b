package io.nereid.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.nereid.engine.ModelRequest;
import io.nereid.engine.ModelResponse;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.Parameter;
import io.nereid.spi.metrics.Counter;
import io.nereid.spi.metrics.Histogram;
import io.nereid.spi.metrics.Metric;
import io.nereid.spi.metrics.MetricFamily;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What requests say by parameters, texts that are long or none, and lists of texts. */
@Timeout(120)
class TextRequestsTest {
  private static ServedTexts served;

  @BeforeAll
  static void open() throws IOException {
    served = ServedTexts.open(ServedTexts.MODELS);
  }

  @AfterAll
  static void close() {
    served.close();
  }

  @Test
  void aPartOfAVectorIsCutBeforeItIsNormalised() {
    float[] whole =
        served
            .embed(
                ServedTexts.request(
                    "mean", Map.of("normalize", new Parameter.OfBoolean(false)), "a ship"),
                1)
            .getFirst();
    float[] part =
        served
            .embed(
                ServedTexts.request(
                    "mean", Map.of("dimensions", new Parameter.OfLong(3)), "a ship"),
                1)
            .getFirst();

    double length = Math.sqrt(whole[0] * whole[0] + whole[1] * whole[1] + whole[2] * whole[2]);
    assertThat(part).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(part[i]).isCloseTo((float) (whole[i] / length), within(1e-6f));
    }
  }

  @Test
  void aPromptIsPutBeforeATextByName() {
    float[] byDefault = served.embed("cls", "the north wind").getFirst();
    float[] passage =
        served
            .embed(
                ServedTexts.request(
                    "cls",
                    Map.of("prompt_name", new Parameter.OfString("passage")),
                    "the north wind"),
                1)
            .getFirst();

    assertThat(byDefault).isNotEqualTo(passage);
    assertThat(served.embed("last", "query: the north wind").getFirst()).isNotNull();
    assertFails(
        "cls",
        Map.of("prompt_name", new Parameter.OfString("answer")),
        "model 'cls': there is no prompt 'answer', expected one of [passage, query]",
        "x");
  }

  @Test
  void whatRequestsMayNotSayIsRefusedWithASentence() {
    assertFails(
        "mean",
        Map.of("dimensions", new Parameter.OfLong(9)),
        "model 'mean': parameter 'dimensions' must be a number from 1 to 8, got 9",
        "x");
    assertFails(
        "mean",
        Map.of("dimensions", new Parameter.OfLong(0)),
        "parameter 'dimensions' must be a number from 1 to 8, got 0",
        "x");
    assertFails(
        "mean",
        Map.of("truncate", new Parameter.OfLong(1)),
        "parameter 'truncate' must be true or false, got 1",
        "x");
    assertFails(
        "mean",
        Map.of("raw_scores", new Parameter.OfBoolean(true)),
        "parameter 'raw_scores' is not one of the task 'embedding'",
        "x");
    assertFails(
        "classify",
        Map.of("dimensions", new Parameter.OfLong(1)),
        "parameter 'dimensions' is not one of the task 'classify'",
        "x");
  }

  @Test
  void aTextWithMoreTokensThanTheModelTakesIsCutOrRefused() {
    Map<String, Parameter> whole = Map.of("truncate", new Parameter.OfBoolean(false));
    String fits = "sea ".repeat(14); // with two special tokens
    assertThat(served.embed(ServedTexts.request("mean", whole, fits), 1)).hasSize(1);
    assertFails(
        "mean",
        whole,
        "model 'mean': the text in row 1 has 17 tokens; the model takes 16 tokens at most, and"
            + " 'truncate' is false",
        "ok",
        fits + "sea");
    assertFails("mean", whole, "has more than 16 tokens", "sea ".repeat(500));
    assertFails("mean", whole, "has 4097 bytes, which is above 4096", " ".repeat(4096) + "x");
    assertThat(served.embed("mean", "sea ".repeat(14) + "ship ".repeat(3000)).getFirst())
        .isEqualTo(served.embed("mean", fits).getFirst());
  }

  @Test
  void aTextOfTenMegabytesCostsWhatAShortOneCosts() {
    String tenMegabytes = "the sea is deep ".repeat(10 * 1024 * 1024 / 16);
    float[] expected = served.embed("mean", "the sea is deep ".repeat(30)).getFirst();

    long begin = System.nanoTime();
    assertThat(served.embed("mean", tenMegabytes).getFirst()).isEqualTo(expected);

    assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L); // all of it takes longer
  }

  @Test
  void aTextThatIsNotInUtf8FailsAlone() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data =
          arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {2, 0, 0, 0, (byte) 0xC3, 'x'});
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() ->
              served
                  .engine()
                  .infer(
                      ModelRequest.to("mean")
                          .input("TEXT", DataType.BYTES, Shape.of(1, 1), data)
                          .build()))
          .withMessageContaining("model 'mean': the text in row 0 is not in UTF-8")
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
    }
  }

  private static String[] list(int count) {
    String[] texts = new String[count];
    for (int i = 0; i < count; i++) {
      texts[i] = "the sea ".repeat(i % 7) + (i % 2 == 0 ? "is deep" : "ship");
    }
    return texts;
  }

  @Test
  void aListOfTextsIsAnsweredAsEachTextIs() {
    for (int count : new int[] {64, 65, 600}) { // twice what is run at once, and above
      String[] texts = list(count);
      List<float[]> vectors = served.embed("mean", texts);
      for (int i = 0; i < count; i += 13) {
        float[] alone = served.embed("mean", texts[i]).getFirst();
        assertThat(ServedTexts.cosine(vectors.get(i), alone)).isGreaterThan(0.9999999);
      }
    }
  }

  @Test
  void metricsCountTokensOfTextsAndOfRuns() throws IOException {
    try (var own = ServedTexts.open(ServedTexts.MODELS, "mean");
        ModelResponse response =
            own.engine()
                .infer(ServedTexts.request("mean", Map.of(), "the sea", "the north wind"))) {
      int[] tokens = response.ints("TOKENS");
      int sum = tokens[0] + tokens[1];
      int padded = 2 * Math.max(tokens[0], tokens[1]);
      Map<String, Metric> metrics =
          own.engine().backendMetrics().stream()
              .collect(
                  Collectors.toMap(
                      MetricFamily::name,
                      family ->
                          family
                              .metric(Map.of("backend", "text", "model", "mean", "version", "1"))
                              .orElseThrow()));

      assertThat(padded).isGreaterThan(sum);
      assertThat(metrics)
          .hasEntrySatisfying("text_tokens", each -> assertObserved(each, 2, sum))
          .hasEntrySatisfying("text_run_tokens", each -> assertObserved(each, 1, padded))
          .hasEntrySatisfying(
              "text_padding_tokens_total",
              each -> assertThat(((Counter) each).value()).isEqualTo(padded - sum));
    }
  }

  private static void assertObserved(Metric metric, long count, double sum) {
    var histogram = (Histogram) metric;
    assertThat(histogram.cumulative()).endsWith(count);
    assertThat(histogram.sum()).isEqualTo(sum);
  }

  @Test
  void listsDoNotHoldUpOthers() {
    List<CompletableFuture<?>> lists = new ArrayList<>();
    for (int i = 0; i < 6; i++) { // three times as many as instances
      lists.add(
          served
              .engine()
              .inferAsync(ServedTexts.request("mean", Map.of(), list(2048)))
              .thenAccept(response -> response.close()));
    }

    assertThat(served.embed("mean", "the sea")).hasSize(1);
    assertThat(lists.stream().filter(CompletableFuture::isDone).count())
        .as("lists that were answered before a single text")
        .isLessThan(6);
    lists.forEach(CompletableFuture::join);
  }

  @Test
  void aWrongTextOfAListIsNamedByItsRow() {
    String[] texts = list(300);
    texts[299] = "sea ".repeat(100);

    assertFails(
        "mean",
        Map.of("truncate", new Parameter.OfBoolean(false)),
        "model 'mean': the text in row 299 has more than 16 tokens; the model takes 16 tokens at"
            + " most",
        texts);
  }

  @Test
  void aListThatIsCancelledEnds() {
    CompletableFuture<?> list =
        served.engine().inferAsync(ServedTexts.request("quantised", Map.of(), list(2048)));

    assertThat(list.cancel(true)).isTrue();
    assertThat(served.embed("quantised", "the sea")).hasSize(1); // and close() waits for its end
  }

  private static void assertFails(
      String model, Map<String, Parameter> parameters, String message, String... texts) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> served.engine().infer(ServedTexts.request(model, parameters, texts)))
        .withMessageContaining(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
  }
}
