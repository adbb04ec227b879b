package io.nereid.spi.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackendMetricsTest {
  private final MetricStore store = new MetricStore();
  private final BackendMetrics metrics =
      store.of("b", System.getLogger(BackendMetricsTest.class.getName()));

  private MetricFamily only() {
    assertThat(store.families()).hasSize(1);
    return store.families().getFirst();
  }

  private static void assertRefused(Runnable registration, String metric, String why) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(registration::run)
        .withMessageStartingWith("backend 'b': metric '%s' ".formatted(metric))
        .withMessageContaining(why);
  }

  @Test
  void aCounterIsShownWithItsBackend() {
    Counter counter = metrics.counter("rows_total", "Rows", Map.of("kind", "dense"));
    counter.increment();
    counter.add(4);

    assertThat(only().kind()).isEqualTo(Metric.Kind.COUNTER);
    assertThat(only().help()).isEqualTo("Rows");
    assertThat(only().samples())
        .containsExactly(new MetricFamily.Sample(Map.of("backend", "b", "kind", "dense"), counter));
    assertThat(counter.value()).isEqualTo(5);
    assertThatIllegalArgumentException().isThrownBy(() -> counter.add(-1));
  }

  @Test
  void theSameNameAndLabelsAreTheSameMetric() {
    Counter counter = metrics.counter("rows_total", "Rows", Map.of("a", "1", "b", "2"));

    assertThat(metrics.counter("rows_total", "other", new TreeMap<>(Map.of("b", "2", "a", "1"))))
        .isSameAs(counter);
    assertThat(metrics.counter("rows_total", "Rows")).isNotSameAs(counter);
    assertThat(only().samples()).hasSize(2);
  }

  @Test
  void countsOfManyThreadsAreWhole() throws Exception {
    Counter counter = metrics.counter("rows_total", "Rows");
    Gauge gauge = metrics.gauge("rows", "Rows");
    Histogram histogram = metrics.histogram("seconds", "Seconds", Map.of(), 1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int j = 0; j < 10_000; j++) {
                  counter.increment();
                  gauge.add(1);
                  histogram.observe(1);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(counter.value()).isEqualTo(40_000);
    assertThat(gauge.value()).isEqualTo(40_000);
    assertThat(histogram.cumulative()).containsExactly(40_000, 40_000);
    assertThat(histogram.sum()).isEqualTo(40_000);
  }

  @Test
  void aHistogramCountsUpToItsBoundsAndNothingThatIsNotFinite() {
    Histogram histogram = metrics.histogram("seconds", "Seconds", Map.of(), 0.5, 1);
    for (double value : new double[] {0.5, 0.6, 1, 2, Double.NaN, Double.POSITIVE_INFINITY}) {
      histogram.observe(value);
    }
    assertThat(histogram.cumulative()).containsExactly(1, 3, 4);
    assertThat(histogram.sum()).isEqualTo(0.5 + 0.6 + 1 + 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1st", "a-b", "a:b", "ä", "a b", "nv_rows", "nereid_rows"})
  void aNameIsOneOfPrometheusAndNotTheServers(String name) {
    assertRefused(() -> metrics.counter(name, "Rows"), name, "name");
    assertThat(store.families()).isEmpty();
  }

  @Test
  void aNameHasAtMost256Characters() {
    assertThat(metrics.counter("a".repeat(256), "Rows")).isNotNull();
    assertRefused(() -> metrics.counter("a".repeat(257), "Rows"), "a".repeat(257), "256");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1st", "a-b", "__a", "backend", "model", "version", "le", "quantile"})
  void aLabelIsOneOfPrometheusAndNotTheServers(String label) {
    assertRefused(
        () -> metrics.gauge("rows", "Rows", Map.of(label, "x")), "rows", "'%s'".formatted(label));
  }

  @Test
  void labelsAreAtMost16OfAtMost256Characters() {
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < 16; i++) {
      labels.put("l" + i, "x".repeat(256));
    }
    assertThat(metrics.gauge("rows", "Rows", labels)).isNotNull();
    labels.put("l16", "");
    assertRefused(() -> metrics.gauge("rows", "Rows", labels), "rows", "17 labels");
    assertRefused(() -> metrics.gauge("rows", "Rows", Map.of("a", "x".repeat(257))), "rows", "257");
  }

  @Test
  void boundsAreFiniteAndAscending() {
    for (double[] bounds :
        List.of(
            new double[0],
            new double[] {1, 1},
            new double[] {2, 1},
            new double[] {Double.NaN},
            new double[] {Double.POSITIVE_INFINITY},
            new double[101])) {
      assertRefused(() -> metrics.histogram("h", "H", Map.of(), bounds), "h", "1 to 100 bounds");
    }
  }

  @Test
  void aNameIsOfOneKindAmongAllBackends() {
    var _ = metrics.counter("rows", "Rows");
    BackendMetrics other = store.of("other", System.getLogger("other"));
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> other.gauge("rows", "Rows"))
        .withMessage(
            "backend 'other': metric 'rows' is a gauge, and one of that name is a counter");
    var _ = other.counter("rows", "Rows");
    assertThat(only().samples())
        .extracting(sample -> sample.labels().get("backend"))
        .containsExactly("b", "other");
  }

  @Test
  void noNameIsALineOfAHistogram() {
    var _ = metrics.histogram("h", "H", Map.of(), 1);
    assertRefused(() -> metrics.counter("h_count", "C"), "h_count", "the histogram 'h'");
    var _ = metrics.counter("g_sum", "G");
    assertRefused(() -> metrics.histogram("g", "G", Map.of(), 1), "g", "the metric 'g_sum'");
    assertThat(metrics.counter("x_count", "X")).isNotNull();
  }

  @Test
  void metricsOfAVersionAreGoneWithItsLastLoad() {
    store.begin("b", "m", 1);
    BackendMetrics first = metrics.forModel("m", 1);
    Counter counter = first.counter("rows_total", "Rows");
    var _ = metrics.forModel("m", 2).counter("rows_total", "Rows");
    var _ = metrics.counter("opened_total", "Opened");
    store.begin("b", "m", 1); // loaded again, before the former one is closed
    assertThat(metrics.forModel("m", 1).counter("rows_total", "Rows")).isSameAs(counter);

    store.end("b", "m", 1);
    assertThat(store.families()).extracting(MetricFamily::name).hasSize(2);
    assertThat(store.families().getLast().samples()).hasSize(2);

    store.end("b", "m", 1);
    assertThat(store.families().getLast().samples())
        .singleElement()
        .returns(Map.of("backend", "b", "model", "m", "version", "2"), MetricFamily.Sample::labels);
    store.end("b", "m", 2);
    assertThat(only().name()).isEqualTo("opened_total");
  }

  @Test
  void tenThousandLinesOfABackendAreShownAndTheLogHasOneWarning() {
    try (var log = new LogCapture(BackendMetricsTest.class.getName())) {
      var _ = metrics.histogram("h", "H", Map.of(), 1, 2); // five lines
      for (int i = 0; i < 9_995; i++) {
        var _ = metrics.counter("rows", "Rows", Map.of("i", "" + i));
      }
      assertThat(log.messages()).isEmpty();
      for (int i = 9_995; i < 10_000; i++) {
        metrics.counter("rows", "Rows", Map.of("i", "" + i)).increment();
      }
      assertThat(log.messages())
          .containsExactly(
              "backend 'b' has more metrics than the 10000 lines that are shown of it");
      assertThat(store.families().getLast().samples()).hasSize(9_995);
    }
    assertThat(store.of("c", System.getLogger("c")).counter("rows", "Rows")).isNotNull();
    assertThat(store.families().getLast().samples()).hasSize(9_996);
  }

  @Test
  void aVersionThatIsGoneLeavesRoom() {
    for (int round = 0; round < 3; round++) {
      store.begin("b", "m", 1);
      for (int i = 0; i < 6_000; i++) {
        var _ = metrics.forModel("m", 1).counter("rows", "Rows", Map.of("i", "" + i));
      }
      assertThat(only().samples()).hasSize(6_000);
      store.end("b", "m", 1);
    }
    assertThat(store.families()).isEmpty();
  }
}
