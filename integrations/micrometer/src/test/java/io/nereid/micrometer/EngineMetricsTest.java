package io.nereid.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.tck.TckModels;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EngineMetricsTest {
  @TempDir Path repository;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private Engine engine;

  @BeforeEach
  void open() throws IOException {
    TckModels.extractTo(repository);
    engine = Engine.builder().repository(repository).startWith("simple").open();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  /** Sends a request, and waits until it is counted: the response may be earlier. */
  private void infer() {
    long before = counted();
    ModelRequest request =
        ModelRequest.to("simple")
            .input("INPUT0", Shape.of(1, 16), new int[16])
            .input("INPUT1", Shape.of(1, 16), new int[16])
            .build();
    engine.infer(request).close();
    while (counted() == before) {
      Thread.onSpinWait();
    }
  }

  /** The requests of the newest version, which is the last. */
  private long counted() {
    return engine.metrics().stream()
        .filter(each -> each.model().name().equals("simple"))
        .toList()
        .getLast()
        .requests()
        .success()
        .count();
  }

  /** Changes the configuration of the model, so that a load loads it again. */
  private void configure(String more) throws IOException {
    Path file = repository.resolve("simple/config.pbtxt");
    Files.writeString(file, Files.readString(file) + "\n" + more);
  }

  private double requests(String version) {
    return registry
        .get("nereid.requests")
        .tags("model", "simple", "version", version)
        .functionTimer()
        .count();
  }

  private List<Meter> meters(String model) {
    return registry.getMeters().stream()
        .filter(meter -> model.equals(meter.getId().getTag("model")))
        .toList();
  }

  /**
   * Waits for what the engine's own threads bring about, as the end of a version. A listener for it
   * may be added while the meters' one is being called for the last change, and hear of none.
   */
  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  @Test
  void aVersionThatIsLoadedLaterHasMeters() {
    new EngineMetrics(engine).bindTo(registry);
    assertThat(meters("repeat")).isEmpty();

    engine.load("repeat");

    assertThat(meters("repeat")).hasSize(VersionMeter.ALL.size());
  }

  @Test
  void aVersionThatIsUnloadedLosesItsMeters() throws InterruptedException {
    new EngineMetrics(engine).bindTo(registry);
    assertThat(meters("simple")).isNotEmpty();

    engine.unload("simple");

    await(() -> meters("simple").isEmpty());
  }

  @Test
  void theMetersOfANewVersionReplaceThoseOfTheOld() throws Exception {
    new EngineMetrics(engine).bindTo(registry);
    infer();
    assertThat(requests("1")).isOne();

    Files.createDirectory(repository.resolve("simple/2"));
    engine.load("simple");
    infer();

    assertThat(requests("2")).isOne();
    await(() -> meters("simple").size() == VersionMeter.ALL.size());
  }

  @Test
  void theCountsOfAVersionGoOnWhileItIsReloaded() throws IOException {
    new EngineMetrics(engine).bindTo(registry);
    infer();
    assertThat(requests("1")).isOne();

    configure("parameters { key: \"a\" value { string_value: \"b\" } }");
    engine.load("simple");
    assertThat(requests("1")).isOne();
    infer();

    assertThat(requests("1")).isEqualTo(2);
  }

  /** The engine counts anew then, under other labels on its own page of metrics. */
  @Test
  void theCountsOfAVersionGoOnWithOtherMetricTags() throws IOException {
    new EngineMetrics(engine).bindTo(registry);
    infer();
    infer();
    assertThat(requests("1")).isEqualTo(2);

    configure("metric_tags { key: \"team\" value: \"a\" }");
    engine.load("simple");
    assertThat(requests("1")).isEqualTo(2);
    infer();

    assertThat(requests("1")).isEqualTo(3);
  }

  @Test
  void aModelThatIsLoadedAgainBehindItsEndCountsFromZero() throws InterruptedException {
    new EngineMetrics(engine).bindTo(registry);
    infer();
    engine.unload("simple");
    await(() -> meters("simple").isEmpty());

    engine.load("simple");

    assertThat(requests("1")).isZero();
  }

  @Test
  void aScrapeReadsTheEngineOnce() {
    var reads = new AtomicInteger();
    var prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    var metrics =
        new EngineMetrics(
            engine,
            Tags.empty(),
            () -> {
              reads.incrementAndGet();
              return engine.metrics();
            },
            () -> 0);
    metrics.bindTo(prometheus);
    engine.load("repeat");
    prometheus.scrape();
    reads.set(0);

    infer();
    assertThat(prometheus.scrape())
        .contains("nereid_requests_seconds_count{model=\"simple\",version=\"1\"} 1")
        .contains("nereid_failures_total{model=\"repeat\",reason=\"backend\",version=\"1\"} 0.0");
    assertThat(reads).hasValue(1);

    engine.unload("repeat");
    assertThat(prometheus.scrape()).contains("model=\"simple\"");
  }

  @Test
  void aCountIsOfTheSameScrapeOrNew() {
    var now = new AtomicLong();
    new EngineMetrics(engine, Tags.empty(), engine::metrics, now::get).bindTo(registry);
    FunctionTimer requests = registry.get("nereid.requests").functionTimer();
    FunctionCounter executions = registry.get("nereid.executions").functionCounter();
    FunctionCounter rows = registry.get("nereid.rows").functionCounter();
    Gauge pending = registry.get("nereid.pending").gauge();
    assertThat(requests.count()).isZero();
    infer();

    now.set(EngineCounts.MAX_AGE_NANOS);
    assertThat(executions.count()).isZero(); // of the same scrape
    now.set(EngineCounts.MAX_AGE_NANOS + 1);
    assertThat(rows.count()).isOne();
    assertThat(requests.count()).isOne();
    assertThat(requests.totalTime(TimeUnit.NANOSECONDS)).isPositive();
    infer();
    assertThat(requests.count()).isEqualTo(2); // it has had the count of that scrape
    assertThat(pending.value()).isZero();
  }

  @Test
  void metersOutliveAllElseThatRefersToThem() {
    new EngineMetrics(engine).bindTo(registry);
    System.gc();
    infer();

    assertThat(requests("1")).isOne();
  }

  @Test
  void twoEnginesHaveMetersOfTheirOwn() throws IOException {
    try (Engine other = Engine.builder().repository(repository).startWith("simple").open()) {
      new EngineMetrics(engine, Tags.of("engine", "a")).bindTo(registry);
      new EngineMetrics(other, Tags.of("engine", "b")).bindTo(registry);
      infer();

      assertThat(registry.get("nereid.requests").tags("engine", "a").functionTimer().count())
          .isOne();
      assertThat(registry.get("nereid.requests").tags("engine", "b").functionTimer().count())
          .isZero();
    }
    assertThat(registry.find("nereid.requests").tags("engine", "b").functionTimers()).isEmpty();
  }

  @Test
  void theDocumentationHasEachMeterAndTag() throws IOException {
    String page = Files.readString(Path.of("../../docs/embedding.md"));
    for (VersionMeter meter : VersionMeter.ALL) {
      assertThat(page).contains("`" + meter.name() + "`");
      assertThat(meter.tags())
          .allSatisfy(tag -> assertThat(page).contains("`" + tag.getKey() + "`"));
    }
  }

  @Test
  void noMetersAreLeftBehindTheClose() {
    var metrics = new EngineMetrics(engine);
    metrics.bindTo(registry);

    metrics.close();
    engine.load("repeat");

    assertThat(registry.getMeters()).isEmpty();
  }
}
