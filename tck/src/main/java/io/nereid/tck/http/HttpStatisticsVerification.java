package io.nereid.tck.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Json;
import io.nereid.tck.support.Polling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Statistics of models. A server may count after it has responded, so these tests poll until the
 * count is there.
 */
public abstract class HttpStatisticsVerification extends HttpVerification {
  static final List<String> PHASES =
      List.of("success", "queue", "compute_input", "compute_infer", "compute_output");

  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    return startFresh(directory);
  }

  private List<?> listed(String target) {
    return Json.list(answered(get(target)), "model_stats");
  }

  private Object statistics(String model) {
    var listed = listed("/v2/models/" + model + "/stats");
    assertThat(listed).hasSize(1);
    return listed.getFirst();
  }

  /** A model's statistics once so many more requests have succeeded than {@code before}. */
  private Object after(Object before, int successes) {
    String model = Json.string(before, "name");
    return Polling.await(
        () -> statistics(model),
        now ->
            count(now, "success") == count(before, "success") + successes
                && executions(now) > executions(before));
  }

  private static long executions(Object model) {
    return Json.number(model, "execution_count");
  }

  private static Object duration(Object model, String name) {
    return Json.member(Json.member(model, "inference_stats"), name);
  }

  private static long count(Object model, String name) {
    return Json.number(duration(model, name), "count");
  }

  private static long nanos(Object model, String name) {
    return Json.number(duration(model, name), "ns");
  }

  /** The executions of one batch size. */
  private static Object batch(Object model, long size) {
    return Json.list(model, "batch_stats").stream()
        .filter(batch -> Json.number(batch, "batch_size") == size)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no batch of %d in %s".formatted(size, model)));
  }

  private void infer(String model) {
    answer(model, request(input("INPUT0", "INT32", "[2]", "[1,2]")));
  }

  private void inferRows(int rows) {
    var data = "[" + "1,".repeat(rows - 1) + "1]";
    answer("batched_fp32", request(input("INPUT0", "FP32", "[" + rows + ",1]", data)));
  }

  @Rule("STAT-01")
  void countsARequestInEachPhase() {
    var before = statistics("identity_int32");
    for (int i = 0; i < 3; i++) {
      infer("identity_int32");
    }
    var after = after(before, 3);

    for (String phase : PHASES) {
      assertThat(count(after, phase)).as(phase).isEqualTo(count(before, phase) + 3);
      assertThat(nanos(after, phase)).as(phase).isGreaterThanOrEqualTo(nanos(before, phase));
    }
    assertThat(nanos(after, "success"))
        .isGreaterThanOrEqualTo(
            PHASES.subList(1, PHASES.size()).stream()
                .mapToLong(phase -> nanos(after, phase))
                .sum());
    for (String none : List.of("fail", "cache_hit", "cache_miss")) {
      assertThat(count(after, none)).as(none).isEqualTo(count(before, none));
    }
  }

  @Rule("STAT-02")
  void countsRowsAndExecutionsByBatchSize() {
    requireFreshServer();
    for (int rows : new int[] {3, 1, 3}) {
      inferRows(rows);
    }
    var after = Polling.await(() -> statistics("batched_fp32"), now -> executions(now) == 3);

    assertThat(Json.number(after, "inference_count")).isEqualTo(7);
    List<Long> sizes = new ArrayList<>();
    Json.list(after, "batch_stats").forEach(batch -> sizes.add(Json.number(batch, "batch_size")));
    assertThat(sizes).containsExactly(1L, 3L);
    for (String phase : List.of("compute_input", "compute_infer", "compute_output")) {
      assertThat(Json.number(Json.member(batch(after, 1), phase), "count")).isEqualTo(1);
      assertThat(Json.number(Json.member(batch(after, 3), phase), "count")).isEqualTo(2);
    }
  }

  @Rule("STAT-03")
  void chargesAnExecutionToItsRequestAndToItsBatchAlike() {
    requireFreshServer();
    infer("two_versions");
    var model = "two_versions/versions/3";
    var after = Polling.await(() -> statistics(model), now -> executions(now) == 1);

    for (String phase : List.of("compute_input", "compute_infer", "compute_output")) {
      var once = Json.member(batch(after, 1), phase);
      assertThat(Json.number(once, "count")).as(phase).isEqualTo(1);
      assertThat(Json.number(once, "ns")).as(phase).isEqualTo(nanos(after, phase));
    }
    assertThat(count(statistics("two_versions/versions/1"), "success")).isZero();
  }

  @Rule("STAT-04")
  void knowsWhenTheLastInferenceWas() {
    requireFreshServer();
    assertThat(Json.number(statistics("identity_uint8"), "last_inference")).isZero();
    answer("identity_uint8", request(input("INPUT0", "UINT8", "[1]", "[1]")));
    var after = Polling.await(() -> statistics("identity_uint8"), now -> executions(now) == 1);

    assertThat(Json.number(after, "last_inference")).isGreaterThan(1_000_000_000_000L);
  }

  @Rule("STAT-05")
  void countsAModelsFailureAsNothingElse() {
    var before = statistics("optional_echo");
    var response = infer("optional_echo", request(input("INPUT1", "INT32", "[1]", "[1]")));
    assertThat(response.status()).isNotEqualTo(200);
    var after =
        Polling.await(
            () -> statistics("optional_echo"),
            now -> count(now, "fail") == count(before, "fail") + 1);

    assertThat(nanos(after, "fail")).isGreaterThan(nanos(before, "fail"));
    assertThat(count(after, "success")).isEqualTo(count(before, "success"));
    assertThat(Json.number(after, "inference_count"))
        .isEqualTo(Json.number(before, "inference_count"));
    assertThat(executions(after)).isEqualTo(executions(before));
  }

  @Rule("STAT-06")
  void countsNothingForARejectedRequest() {
    var before = statistics("identity_int16");
    var rejected = infer("identity_int16", request(input("INPUT0", "INT32", "[1]", "[1]")));
    assertThat(rejected.status()).isEqualTo(400);
    answer("identity_int16", request(input("INPUT0", "INT16", "[1]", "[1]")));
    var after = after(before, 1);

    assertThat(count(after, "fail")).isEqualTo(count(before, "fail"));
    assertThat(Json.number(after, "inference_count"))
        .isEqualTo(Json.number(before, "inference_count") + 1);
  }

  private List<String> versions(String target) {
    return listed(target).stream()
        .map(model -> Json.member(model, "name") + " " + Json.member(model, "version"))
        .toList();
  }

  @Rule("STAT-07")
  void listsEveryModelByNameAndVersion() {
    assertThat(versions("/v2/models/stats"))
        .contains("simple 1", "two_versions 1", "two_versions 3")
        .isSorted();
  }

  @Rule("STAT-08")
  void listsAModelsVersionsOrTheOneThatIsRequested() {
    assertThat(versions("/v2/models/two_versions/stats"))
        .containsExactly("two_versions 1", "two_versions 3");
    assertThat(versions("/v2/models/two_versions/versions/1/stats"))
        .containsExactly("two_versions 1");
  }

  @RuleTable(
      """
      STAT-09 | unknown/stats            | requested model 'unknown' is not available
      STAT-09 | unknown/versions/1/stats | requested model 'unknown' is not available
      STAT-10 | simple/versions/7/stats  | requested model version is not available for model 'simple'
      """)
  void rejectsAnUnknownModelAndAVersionThatIsNotReady(String target, String text) {
    rejected(get("/v2/models/" + target), text);
  }

  @Rule("STAT-11")
  void writesMembersInTheOrderOfTheProtocol() {
    answer("identity_int8", request(input("INPUT0", "INT8", "[1]", "[1]")));
    var model = Polling.await(() -> statistics("identity_int8"), now -> executions(now) > 0);

    assertThat(members(model))
        .isEqualTo(
            "name version last_inference inference_count execution_count inference_stats"
                + " response_stats batch_stats memory_usage");
    assertThat(members(Json.member(model, "inference_stats")))
        .isEqualTo(
            "success fail queue compute_input compute_infer compute_output cache_hit cache_miss");
    assertThat(members(duration(model, "success"))).isEqualTo("count ns");
    assertThat(members(batch(model, 1)))
        .isEqualTo("batch_size compute_input compute_infer compute_output");
  }
}
