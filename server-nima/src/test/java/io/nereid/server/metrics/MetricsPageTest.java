package io.nereid.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.cache.LocalCacheProvider;
import io.nereid.engine.cache.ResponseCaching;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot;
import io.nereid.engine.telemetry.statistics.LifeCycleSnapshot.VersionState;
import io.nereid.engine.telemetry.statistics.Samples;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.TraceSink;
import io.nereid.error.InferenceException;
import io.nereid.server.metrics.exposition.ExpositionFormat;
import io.nereid.server.metrics.exposition.ParsedPage;
import io.nereid.spi.cache.CacheKey;
import io.nereid.spi.cache.CacheSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  private static final LifeCycleSnapshot LIFE_CYCLE =
      new LifeCycleSnapshot(
          List.of(
              new VersionState("", "m", OptionalLong.of(3), "READY"),
              new VersionState("/models", "n", OptionalLong.of(1), "UNAVAILABLE"),
              new VersionState("", "o", OptionalLong.empty(), "UNAVAILABLE")),
          5,
          2,
          3);

  private static String text(boolean counterLatencies, boolean cpu, StatisticsSnapshot... models) {
    var content =
        new MetricsPage.Content(counterLatencies, true, List.of(0.5, 1.0), cpu, Duration.ZERO);
    return text(
        content, new CheckedBufferPool(), new RequestMemory(1000, 1000), Optional.empty(), models);
  }

  private static String text(
      MetricsPage.Content content,
      BufferPool pool,
      RequestMemory requests,
      Optional<ResponseCaching> caching,
      StatisticsSnapshot... models) {
    var sources =
        new MetricsPage.Sources(
            () -> new ServerStatus("1.2", true, Map.of("http", Instant.ofEpochSecond(9)), 3),
            () -> List.of(models),
            () -> LIFE_CYCLE,
            List::of,
            new MetricsPage.Memory(pool, requests, caching),
            new MetricsPage.Clients(
                Optional.empty(), Optional.empty(), Optional.empty(), TraceSink.NONE),
            new MetricsPage.Gpus(List::of, () -> List.of("GPU-0", "GPU-1")));
    return new String(new MetricsPage(content, sources).bytes(ExpositionFormat.TEXT), UTF_8);
  }

  @Test
  void writesWhatTheServerIs() {
    assertThat(text(true, false).lines())
        .contains(
            "nereid_build_info{java=\"%s\",version=\"1.2\"} 1".formatted(Runtime.version()),
            "nereid_server_ready 1",
            "nereid_certificate_expiry_timestamp_seconds{listener=\"http\"} 9",
            "nereid_log_lost_lines_total 3");
  }

  @Test
  void writesTheCountersOfEveryModelAsTritonDoes() {
    assertThat(text(true, false, Samples.busy("m", 3, Map.of()), Samples.idle("n", 1)))
        .startsWith(
            """
            # HELP nv_inference_request_success Number of successful inference requests, all batch sizes
            # TYPE nv_inference_request_success counter
            nv_inference_request_success{model="m",version="3"} 2
            nv_inference_request_success{model="n",version="1"} 0
            # HELP nv_inference_request_failure Number of failed inference requests, all batch sizes
            # TYPE nv_inference_request_failure counter
            nv_inference_request_failure{model="m",reason="REJECTED",version="3"} 1
            nv_inference_request_failure{model="m",reason="CANCELED",version="3"} 0
            nv_inference_request_failure{model="m",reason="BACKEND",version="3"} 2
            nv_inference_request_failure{model="m",reason="OTHER",version="3"} 0
            nv_inference_request_failure{model="n",reason="REJECTED",version="1"} 0
            nv_inference_request_failure{model="n",reason="CANCELED",version="1"} 0
            nv_inference_request_failure{model="n",reason="BACKEND",version="1"} 0
            nv_inference_request_failure{model="n",reason="OTHER",version="1"} 0
            # HELP nv_inference_count Number of inferences performed (does not include cached requests)
            # TYPE nv_inference_count counter
            nv_inference_count{model="m",version="3"} 5
            nv_inference_count{model="n",version="1"} 0
            # HELP nv_inference_exec_count Number of model executions performed (does not include cached requests)
            # TYPE nv_inference_exec_count counter
            nv_inference_exec_count{model="m",version="3"} 2
            nv_inference_exec_count{model="n",version="1"} 0
            # HELP nv_inference_request_duration_us Cumulative inference request duration in microseconds (includes cached requests)
            # TYPE nv_inference_request_duration_us counter
            nv_inference_request_duration_us{model="m",version="3"} 52
            """)
        .contains("nv_inference_queue_duration_us{model=\"m\",version=\"3\"} 54\n")
        .contains("nv_inference_compute_input_duration_us{model=\"m\",version=\"3\"} 56\n")
        .contains("nv_inference_compute_infer_duration_us{model=\"m\",version=\"3\"} 58\n")
        .contains("nv_inference_compute_output_duration_us{model=\"m\",version=\"3\"} 60\n")
        .contains("# TYPE nv_inference_pending_request_count gauge\n")
        .contains("nv_inference_pending_request_count{model=\"m\",version=\"3\"} 6\n")
        .contains("# TYPE nv_model_load_duration_secs gauge\n")
        .contains("nv_model_load_duration_secs{model=\"m\",version=\"3\"} 0.004683712\n")
        .contains("nereid_pool_held_bytes 0\n");
  }

  @Test
  void labelsWhatExecutionsCountWithTheGpuThatAllInstancesOfAModelAreOn() {
    assertThat(text(true, false, Samples.onGpus("m", 3, 1, 1), Samples.onGpus("n", 1, 0, 1)))
        .contains("nv_inference_request_success{gpu_uuid=\"GPU-1\",model=\"m\",version=\"3\"} 0\n")
        .contains("nv_inference_count{gpu_uuid=\"GPU-1\",model=\"m\",version=\"3\"} 0\n")
        .contains(
            "nv_inference_queue_duration_us{gpu_uuid=\"GPU-1\",model=\"m\",version=\"3\"} 0\n")
        .contains("nv_inference_pending_request_count{model=\"m\",version=\"3\"} 0\n")
        .contains("nv_inference_request_failure{model=\"m\",reason=\"BACKEND\",version=\"3\"} 0\n")
        .contains("nv_inference_request_success{model=\"n\",version=\"1\"} 0\n");
  }

  @Test
  void omitsTheGpuThatIsNotVisible() {
    assertThat(text(true, false, Samples.onGpus("m", 3, 2)))
        .contains("nv_inference_request_success{model=\"m\",version=\"3\"} 0\n");
  }

  @Test
  void writesWhatThePoolHoldsAndWhatRequestsHaveOfIt() {
    var requests = new RequestMemory(4 << 20, Long.MAX_VALUE);
    var client = new ClientKey("192.0.2.1");
    try (var pool = new SlabPool(new ArenaAllocator(), 8 << 20)) {
      var content = new MetricsPage.Content(true, true, List.of(), false, Duration.ZERO);
      pool.lease(3 << 20).close();
      try (Lease received = requests.of(pool, client).lease(1 << 20)) {
        assertThat(received.segment().byteSize()).isEqualTo(1 << 20);
        refuse(() -> requests.of(pool, client).lease(2 << 20));
        refuse(() -> requests.of(pool, client).lease(4 << 20));
        refuse(() -> pool.lease(9 << 20));

        assertThat(text(content, pool, requests, Optional.empty()))
            .contains("# TYPE nereid_pool_leased_bytes gauge\nnereid_pool_leased_bytes 1048576\n")
            .contains("\nnereid_pool_outstanding_leases 1\n")
            .contains("\nnereid_pool_held_bytes 4194304\n")
            .contains("\nnereid_pool_free_bytes 3145728\n")
            .contains("\nnereid_pool_limit_bytes 8388608\n")
            .contains(
                """
                # TYPE nereid_pool_refused_leases_total counter
                nereid_pool_refused_leases_total 1
                """)
            .contains("\nnereid_request_memory_bytes 1048576\n")
            .contains("\nnereid_request_memory_limit_bytes 4194304\n")
            .contains("\nnereid_request_memory_refused_total{limit=\"client\"} 1\n")
            .contains("\nnereid_request_memory_refused_total{limit=\"server\"} 1\n");
      }
    }
  }

  private static void refuse(ThrowableAssert.ThrowingCallable lease) {
    assertThatExceptionOfType(InferenceException.class).isThrownBy(lease);
  }

  @Test
  void writesQuantilesWithTheSumsOfTheCounters() {
    assertThat(text(true, false, Samples.recorded("m", 3), Samples.idle("n", 1)))
        .contains(
            """
            # HELP nv_inference_request_summary_us Summary of inference request duration in microseconds (includes cached requests)
            # TYPE nv_inference_request_summary_us summary
            nv_inference_request_summary_us{model="m",quantile="0.5",version="3"} 20
            nv_inference_request_summary_us{model="m",quantile="1",version="3"} 40
            nv_inference_request_summary_us_sum{model="m",version="3"} 60
            nv_inference_request_summary_us_count{model="m",version="3"} 2
            # HELP nv_inference_queue_summary_us Summary of inference queuing duration in microseconds (includes cached requests)
            # TYPE nv_inference_queue_summary_us summary
            nv_inference_queue_summary_us{model="m",quantile="0.5",version="3"} 10
            """)
        .contains("nv_inference_compute_input_summary_us_sum{model=\"m\",version=\"3\"} 14\n")
        .contains("nv_inference_compute_infer_summary_us_sum{model=\"m\",version=\"3\"} 16\n")
        .contains("nv_inference_compute_output_summary_us_sum{model=\"m\",version=\"3\"} 18\n");
  }

  @Test
  void writesHistogramsOfWhatBatchesCost() {
    assertThat(text(true, false, Samples.costly("m", 3), Samples.idle("n", 1)))
        .contains(
            """
            # HELP nereid_inference_batch_cost Cost of a batch, padding included, of models that limit it
            # TYPE nereid_inference_batch_cost histogram
            nereid_inference_batch_cost_bucket{le="1",model="m",version="3"} 0
            nereid_inference_batch_cost_bucket{le="2",model="m",version="3"} 1
            """)
        .contains(
            """
            nereid_inference_batch_cost_bucket{le="1048576",model="m",version="3"} 1
            nereid_inference_batch_cost_bucket{le="+Inf",model="m",version="3"} 2
            nereid_inference_batch_cost_sum{model="m",version="3"} 4000002
            nereid_inference_batch_cost_count{model="m",version="3"} 2
            # HELP nereid_inference_batch_padding The part of the cost of a batch that is padding
            """)
        .contains(
            """
            nereid_inference_batch_padding_bucket{le="64",model="m",version="3"} 1
            nereid_inference_batch_padding_bucket{le="128",model="m",version="3"} 2
            """)
        .contains("nereid_inference_batch_padding_sum{model=\"m\",version=\"3\"} 70\n");
  }

  @Test
  void writesAHistogramOfFirstResponses() {
    assertThat(text(true, false, Samples.recorded("m", 3), Samples.idle("n", 1)))
        .contains(
            """
            # HELP nv_inference_first_response_histogram_ms Duration from request to first response in milliseconds
            # TYPE nv_inference_first_response_histogram_ms histogram
            nv_inference_first_response_histogram_ms_bucket{le="0.5",model="m",version="3"} 1
            nv_inference_first_response_histogram_ms_bucket{le="100",model="m",version="3"} 2
            nv_inference_first_response_histogram_ms_bucket{le="+Inf",model="m",version="3"} 3
            nv_inference_first_response_histogram_ms_sum{model="m",version="3"} 250.500000
            nv_inference_first_response_histogram_ms_count{model="m",version="3"} 3
            """);
  }

  @Test
  void aQuantileWithoutRequestsIsNotANumber() {
    assertThat(text(true, false, Samples.recordedAndIdle("m", 3)))
        .contains("nv_inference_queue_summary_us{model=\"m\",quantile=\"0.5\",version=\"3\"} NaN\n")
        .contains("nv_inference_queue_summary_us_count{model=\"m\",version=\"3\"} 0\n");
  }

  @Test
  void writesTheStateOfEveryVersionAndCountsOfLoads() {
    assertThat(text(true, false))
        .contains(
            """
            # TYPE nereid_model_state gauge
            nereid_model_state{model="m",state="READY",version="3"} 1
            nereid_model_state{model="n",namespace="/models",state="UNAVAILABLE",version="1"} 1
            nereid_model_state{model="o",state="UNAVAILABLE",version=""} 1
            """)
        .contains(
            """
            # TYPE nereid_model_loads_total counter
            nereid_model_loads_total{outcome="success"} 5
            nereid_model_loads_total{outcome="failure"} 2
            """)
        .contains("# TYPE nereid_model_unloads_total counter\nnereid_model_unloads_total 3\n");
  }

  @Test
  void modelsOfTheSameNameHaveTheirNamespaceAsALabel() {
    assertThat(text(true, false, Samples.inNamespace("/a", "m", 1), Samples.idle("m", 1)))
        .contains("nv_inference_count{model=\"m\",namespace=\"/a\",version=\"1\"} 0\n")
        .contains("nv_inference_count{model=\"m\",version=\"1\"} 0\n");
  }

  @Test
  void writesMetricTagsAsSortedAndEscapedLabels() {
    var tags = Map.of("team", "a\"b\\c\nd", "cost-centre", "7");

    assertThat(text(true, false, Samples.busy("m", 3, tags)))
        .contains(
            "nv_inference_count{_cost_centre=\"7\",_team=\"a\\\"b\\\\c\\nd\",model=\"m\",version=\"3\"} 5\n");
  }

  @Test
  void omitsDurationsIfConfigured() {
    assertThat(text(false, false, Samples.busy("m", 3, Map.of())))
        .contains("nv_inference_count{model=\"m\",version=\"3\"} 5\n")
        .contains("nv_inference_pending_request_count")
        .doesNotContain("duration_us");
  }

  @Test
  void writesOneHeadPerFamily() {
    List<String> heads =
        text(true, true, Samples.recorded("n", 1))
            .lines()
            .filter(line -> line.startsWith("# TYPE "))
            .toList();

    assertThat(heads).doesNotHaveDuplicates().hasSizeGreaterThan(10);
    assertThat(heads).allMatch(line -> line.matches(".* (counter|gauge|histogram|summary)"));
  }

  @Test
  void omitsTheMachineIfConfigured() {
    assertThat(text(true, true)).contains("nv_cpu_memory_total_bytes ");
    assertThat(text(true, false)).doesNotContain("nv_cpu_");
  }

  @Test
  void writesTheCountersOfModelsThatCache() {
    assertThat(text(true, false, Samples.caching("m", 3), Samples.idle("n", 1)))
        .contains(
            """
            # HELP nv_cache_num_hits_per_model Number of cache hits per model
            # TYPE nv_cache_num_hits_per_model counter
            nv_cache_num_hits_per_model{model="m",version="3"} 2
            # HELP nv_cache_num_misses_per_model Number of cache misses per model
            # TYPE nv_cache_num_misses_per_model counter
            nv_cache_num_misses_per_model{model="m",version="3"} 1
            # HELP nv_cache_hit_duration_per_model Total cache hit duration per model, in microseconds
            # TYPE nv_cache_hit_duration_per_model counter
            nv_cache_hit_duration_per_model{model="m",version="3"} 5
            # HELP nv_cache_miss_duration_per_model Total cache miss (insert+lookup) duration per model, in microseconds
            # TYPE nv_cache_miss_duration_per_model counter
            nv_cache_miss_duration_per_model{model="m",version="3"} 9
            """);
    assertThat(text(true, false, Samples.idle("n", 1))).doesNotContain("nv_cache");
  }

  @Test
  void writesTheQuantilesOfModelsThatCache() {
    assertThat(text(true, false, Samples.caching("m", 3), Samples.recorded("n", 1)))
        .contains(
            """
            # HELP nv_cache_hit_summary_per_model Summary of cache hit counts/durations per model, in microseconds.
            # TYPE nv_cache_hit_summary_per_model summary
            nv_cache_hit_summary_per_model{model="m",quantile="0.5",version="3"} 2
            nv_cache_hit_summary_per_model{model="m",quantile="1",version="3"} 3
            nv_cache_hit_summary_per_model_sum{model="m",version="3"} 5
            nv_cache_hit_summary_per_model_count{model="m",version="3"} 2
            # HELP nv_cache_miss_summary_per_model Summary of cache miss counts/durations per model, in microseconds.
            # TYPE nv_cache_miss_summary_per_model summary
            nv_cache_miss_summary_per_model{model="m",quantile="0.5",version="3"} 9
            nv_cache_miss_summary_per_model{model="m",quantile="1",version="3"} 9
            nv_cache_miss_summary_per_model_sum{model="m",version="3"} 9
            nv_cache_miss_summary_per_model_count{model="m",version="3"} 1
            """)
        .contains("nv_inference_request_summary_us{model=\"m\",quantile=\"0.5\",version=\"3\"} 5\n")
        .contains("nv_inference_request_summary_us_count{model=\"m\",version=\"3\"} 3\n")
        .contains("nv_inference_compute_infer_summary_us_count{model=\"m\",version=\"3\"} 1\n");
  }

  @Test
  void writesTheHistogramsOfThePhasesThatRequestsHaveHad() {
    String text = text(true, false, Samples.busy("m", 3, Map.of()), Samples.idle("n", 1));

    assertThat(text)
        .contains(
            """
            # TYPE nereid_inference_duration_seconds histogram
            nereid_inference_duration_seconds_bucket{le="0.0001",model="m",phase="request",version="3"} 2
            """)
        .contains(
            """
            nereid_inference_duration_seconds_bucket{le="+Inf",model="m",phase="queue",version="3"} 2
            nereid_inference_duration_seconds_sum{model="m",phase="queue",version="3"} 0.000054000
            nereid_inference_duration_seconds_count{model="m",phase="queue",version="3"} 2
            """)
        .doesNotContain("phase=\"cache_hit\"")
        .doesNotContain("nereid_inference_duration_seconds_count{model=\"n\"");
  }

  @Test
  void omitsTheHistogramsOfPhasesIfConfigured() {
    var content = new MetricsPage.Content(true, false, List.of(), false, Duration.ZERO);
    var requests = new RequestMemory(1000, 1000);

    assertThat(
            text(
                content,
                new CheckedBufferPool(),
                requests,
                Optional.empty(),
                Samples.busy("m", 3, Map.of())))
        .contains("nv_inference_count{model=\"m\",version=\"3\"} 5\n")
        .doesNotContain("nereid_inference_duration_seconds");
  }

  @Test
  void isValidInPrometheusTextFormat() {
    var tags = Map.of("a-b", "1", "a_b", "2", "team", "x\"y\\z\n");
    var page =
        new ParsedPage(
            text(
                true,
                true,
                Samples.recorded("m", 3),
                Samples.caching("n", 1),
                Samples.busy("o", 2, tags),
                Samples.inNamespace("/a", "p", 1)));

    assertThat(page.types()).containsEntry("nereid_inference_duration_seconds", "histogram");
    assertThat(page.types()).containsEntry("nv_inference_queue_summary_us", "summary");
  }

  @Test
  void writesWhatTheProcessAndTheJvmTake() {
    var page = new ParsedPage(text(true, true));

    assertThat(page.value("nereid_jvm_memory_used_bytes", Map.of("area", "heap"))).isPositive();
    assertThat(page.value("nereid_jvm_classes_loaded", Map.of())).isPositive();
    assertThat(page.value("nereid_jvm_threads", Map.of())).isPositive();
    assertThat(page.value("nereid_process_start_time_seconds", Map.of())).isPositive();
    assertThat(page.value("nv_pinned_memory_pool_total_bytes", Map.of())).isZero();
    assertThat(page.samples("nereid_jvm_gc_collections_total")).isNotEmpty();
    assertThat(page.types())
        .containsEntry("nereid_jvm_virtual_threads_queued", "gauge")
        .containsEntry("nereid_process_cpu_seconds_total", "counter");
  }

  @Test
  void writesTheGaugesOfTheServersCache() {
    var cache = new LocalCacheProvider().open(new CacheSettings(Map.of("size", "128")));
    try (var caching = new ResponseCaching(cache, new CheckedBufferPool(), () -> 0)) {
      for (long i = 0; i < 3; i++) {
        cache.lookUp(new CacheKey(1, 1, i));
        cache.insert(new CacheKey(1, 1, i), 64, data -> data.fill((byte) 0));
      }
      cache.lookUp(new CacheKey(1, 1, 2)).orElseThrow().close();
      cache.remove(2);
      var content = new MetricsPage.Content(true, true, List.of(), false, Duration.ZERO);
      var requests = new RequestMemory(1000, 1000);

      assertThat(text(content, new CheckedBufferPool(), requests, Optional.of(caching)))
          .contains("# TYPE nv_cache_util gauge\nnv_cache_util 1\n")
          .contains("\nnv_cache_num_entries 2\n")
          .contains("\nnv_cache_num_hits 1\n")
          .contains("\nnv_cache_num_misses 3\n")
          .contains("\nnv_cache_num_lookups 4\n")
          .contains("\nnv_cache_num_evictions 1\n")
          .contains("\nnv_cache_lookup_duration 0\n")
          .contains("\nnv_cache_insertion_duration 0\n");
    }
  }
}
