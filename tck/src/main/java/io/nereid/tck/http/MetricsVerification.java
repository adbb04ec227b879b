package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleCases;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.HttpWire;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.params.provider.CsvSource;

/** Metrics of models, in Prometheus' text format. */
public abstract class MetricsVerification extends HttpVerification {
  private static final List<String> FAMILIES =
      List.of(
          "nv_inference_request_success",
          "nv_inference_count",
          "nv_inference_exec_count",
          "nv_inference_request_duration_us",
          "nv_inference_queue_duration_us",
          "nv_inference_compute_input_duration_us",
          "nv_inference_compute_infer_duration_us",
          "nv_inference_compute_output_duration_us",
          "nv_inference_pending_request_count");

  private static final Pattern SAMPLE =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(.*)\\})? (\\S+)");

  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    return startFresh(directory);
  }

  private HttpWire.Response ask(String method, String target) {
    var address = server().metrics();
    assumeThat(address).as("the server has metrics").isPresent();
    try (var metrics = new HttpWire(address.orElseThrow(), server().log())) {
      return metrics.send(method, target, new byte[0], Map.of());
    }
  }

  private String page() {
    var response = ask("GET", "/metrics");
    assertThat(response.status()).isEqualTo(200);
    return response.text();
  }

  /** All samples, by their name with its labels. */
  private Map<String, BigDecimal> samples() {
    Map<String, BigDecimal> samples = new HashMap<>();
    for (String line : page().lines().filter(line -> !line.startsWith("#")).toList()) {
      int space = line.lastIndexOf(' ');
      samples.put(line.substring(0, space), new BigDecimal(line.substring(space + 1)));
    }
    return samples;
  }

  private static String of(String model) {
    return "{model=\"" + model + "\",version=\"1\"}";
  }

  private static String failure(String model, String reason) {
    return "nv_inference_request_failure{model=\"%s\",reason=\"%s\",version=\"1\"}"
        .formatted(model, reason);
  }

  private static BigDecimal value(Map<String, BigDecimal> samples, String name) {
    assertThat(samples).containsKey(name);
    return samples.getOrDefault(name, BigDecimal.ZERO);
  }

  @Rule("METRIC-01")
  void everyFamilyIsThereFromLoadOn() {
    requireFreshServer();
    var samples = samples();

    for (String family : FAMILIES) {
      assertThat(value(samples, family + of("identity_bf16"))).as(family).isZero();
    }
    for (String reason : List.of("REJECTED", "CANCELED", "BACKEND", "OTHER")) {
      assertThat(value(samples, failure("identity_bf16", reason))).as(reason).isZero();
    }
    assertThat(value(samples, "nv_model_load_duration_secs" + of("identity_bf16"))).isPositive();
  }

  @Rule("METRIC-02")
  void countsSuccessesInferencesAndExecutions() {
    var before = samples();
    answer("simple", TWO_ROWS);
    answer("simple", TWO_ROWS);
    var after =
        Polling.await(
            this::samples,
            now ->
                difference(before, now, "nv_inference_request_success" + of("simple")) == 2
                    && difference(before, now, "nv_inference_exec_count" + of("simple")) == 2);

    assertThat(difference(before, after, "nv_inference_count" + of("simple"))).isEqualTo(4);
    Polling.await(
        this::samples,
        now -> value(now, "nv_inference_pending_request_count" + of("simple")).signum() == 0);
  }

  private static long difference(
      Map<String, BigDecimal> before, Map<String, BigDecimal> after, String name) {
    return value(after, name).subtract(value(before, name)).longValueExact();
  }

  @Rule("METRIC-03")
  void truncatesDurationsToMicroseconds() {
    requireFreshServer();
    answer("identity_int64", request(input("INPUT0", "INT64", "[1]", "[1]")));
    var samples =
        Polling.await(
            this::samples,
            now -> value(now, "nv_inference_exec_count" + of("identity_int64")).signum() > 0);
    var statistics =
        Json.list(answered(get("/v2/models/identity_int64/stats")), "model_stats").getFirst();
    var phases = Json.member(statistics, "inference_stats");

    for (String phase : HttpStatisticsVerification.PHASES) {
      long nanos = Json.number(Json.member(phases, phase), "ns");
      var family = "nv_inference_%s_duration_us".formatted(phase.replace("success", "request"));
      assertThat(value(samples, family + of("identity_int64")).longValueExact())
          .as(family)
          .isEqualTo(nanos / 1000);
    }
  }

  @Rule("METRIC-04")
  void countsAModelsFailureButNoRejectedRequest() {
    var before = samples();
    var rejected = infer("optional_echo", request(input("INPUT1", "FP32", "[1]", "[1]")));
    assertThat(rejected.status()).isEqualTo(400);
    var failed = infer("optional_echo", request(input("INPUT1", "INT32", "[1]", "[1]")));
    assertThat(failed.status()).isNotEqualTo(200);
    var after =
        Polling.await(
            this::samples,
            now -> difference(before, now, failure("optional_echo", "BACKEND")) == 1);

    for (String reason : List.of("REJECTED", "CANCELED", "OTHER")) {
      assertThat(difference(before, after, failure("optional_echo", reason))).as(reason).isZero();
    }
    assertThat(difference(before, after, "nv_inference_request_success" + of("optional_echo")))
        .isZero();
  }

  @Rule("METRIC-05")
  void everySampleBelongsToAFamilyAndHasItsLabelsSorted() {
    Set<String> families = new HashSet<>();
    String family = "";
    for (String line : page().lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        family = words[2];
        assertThat(families.add(family)).as("the only %s", family).isTrue();
        assertThat(words[3]).isIn("counter", "gauge", "histogram", "summary");
      } else if (!line.startsWith("# HELP ")) {
        var sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        assertThat(sample.group(1)).startsWith(family);
        if (sample.group(3) != null) {
          var names =
              Arrays.stream(sample.group(3).split(",", -1))
                  .map(label -> label.split("=", 2)[0])
                  .toList();
          assertThat(names).as(line).isSorted();
        }
      }
    }
    assertThat(families).containsAll(FAMILIES);
  }

  @RuleCases("METRIC-06")
  @CsvSource({
    "GET,/metrics/,200,true",
    "GET,/,200,false",
    "GET,/v2/health/live,200,false",
    "POST,/metrics,405,true",
    "POST,/other,405,true"
  })
  void answersOtherPathsWithNothingAndOtherMethodsNotAtAll(
      String method, String target, int status, boolean full) {
    var response = ask(method, target);

    assertThat(response.status()).isEqualTo(status);
    assertThat(response.body().length > 0).isEqualTo(full);
  }
}
