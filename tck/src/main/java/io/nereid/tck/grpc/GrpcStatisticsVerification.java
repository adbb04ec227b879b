package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.nereid.tck.Rule;
import io.nereid.tck.RuleTable;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Polling;
import io.nereid.tck.wire.InferBatchStatistics;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelStatistics;
import io.nereid.tck.wire.ModelStatisticsResponse;
import io.nereid.tck.wire.StatisticDuration;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Statistics of models. A server may count after it has responded. */
public abstract class GrpcStatisticsVerification extends GrpcVerification {
  @Override
  protected ServerUnderTest start(Path directory) throws Exception {
    return startFresh(directory);
  }

  private List<ModelStatistics> listed(String request) {
    return ((ModelStatisticsResponse) call("ModelStatistics", request)).getModelStatsList();
  }

  private ModelStatistics statistics(String model) {
    var listed = listed("name: '%s'".formatted(model));
    assertThat(listed).hasSize(1);
    return listed.getFirst();
  }

  private static ModelInferRequest.Builder request(String model, String dataType, byte... data) {
    return request(model, input("INPUT0", dataType, data.length), ByteString.copyFrom(data));
  }

  private static long successes(ModelStatistics model) {
    return model.getInferenceStats().getSuccess().getCount();
  }

  @Rule({"STAT-01", "STAT-02", "STAT-04"})
  void countsARequestInEachPhaseUnderTheSpecifiedFieldNumbers() {
    requireFreshServer();
    assertThat(statistics("identity_int8").getLastInference()).isZero();
    for (int i = 0; i < 2; i++) {
      infer(request("identity_int8", "INT8", (byte) 1, (byte) 2));
    }
    var after =
        Polling.await(() -> statistics("identity_int8"), now -> now.getExecutionCount() == 2);

    assertThat(successes(after)).isEqualTo(2);
    assertThat(after.getInferenceCount()).isEqualTo(2);
    assertThat(after.getLastInference()).isGreaterThan(1_000_000_000_000L);
    var phases = after.getInferenceStats();
    var input = phases.getComputeInput();
    var parts =
        List.of(phases.getQueue(), input, phases.getComputeInfer(), phases.getComputeOutput());
    assertThat(parts).extracting(StatisticDuration::getCount).containsOnly(successes(after));
    assertThat(phases.getSuccess().getNs())
        .isGreaterThanOrEqualTo(parts.stream().mapToLong(StatisticDuration::getNs).sum());
    assertThat(phases.getFail().getCount()).isZero();
    InferBatchStatistics batch = after.getBatchStats(0);
    assertThat(batch.getBatchSize()).isEqualTo(1);
    assertThat(batch.getComputeInfer().getCount()).isEqualTo(after.getExecutionCount());
    assertThat(batch.getComputeInfer().getNs()).isEqualTo(phases.getComputeInfer().getNs());
  }

  @Rule("STAT-12")
  void countsTheResponsesOfADecoupledModelByTheirIndex() {
    requireFreshServer();
    try (var stream = OpenStream.on(channel())) {
      stream.send(StreamVerification.repeat("a", 7, 8));
      stream.send(StreamVerification.repeat("b", 9));
      stream.halfClose();
      for (int i = 0; i < 3; i++) {
        StreamVerification.response(stream.next());
      }
      assertThat(stream.end().isOk()).isTrue();
    }
    var after = Polling.await(() -> statistics("repeat"), now -> successes(now) == 2);

    assertThat(after.getResponseStatsMap()).containsOnlyKeys("0", "1", "2");
    var first = after.getResponseStatsOrThrow("0");
    assertThat(first.getSuccess().getCount()).isEqualTo(2);
    assertThat(first.getComputeInfer().getCount()).isEqualTo(2);
    assertThat(first.getComputeOutput().getCount()).isEqualTo(2);
    assertThat(first.getSuccess().getNs())
        .isEqualTo(first.getComputeInfer().getNs() + first.getComputeOutput().getNs());
    var second = after.getResponseStatsOrThrow("1");
    assertThat(second.getSuccess().getCount()).isEqualTo(1);
    assertThat(second.getEmptyResponse().getCount()).as("the end of b").isEqualTo(1);
    assertThat(after.getResponseStatsOrThrow("2").getEmptyResponse().getCount()).isEqualTo(1);
  }

  @Rule("STAT-06")
  void countsNothingForARejectedRequest() {
    requireFreshServer();
    inferRefused(request("identity_uint8", "INT8", (byte) 1), NO_ID + "...");
    infer(request("identity_uint8", "UINT8", (byte) 1));
    var after =
        Polling.await(() -> statistics("identity_uint8"), now -> now.getExecutionCount() == 1);

    assertThat(after.getInferenceStats().getFail().getCount()).isZero();
    assertThat(after.getInferenceCount()).isEqualTo(1);
  }

  @Rule("STAT-07")
  void listsEveryModelByNameAndVersion() {
    var models = listed("");

    assertThat(models)
        .isSortedAccordingTo(
            Comparator.comparing(ModelStatistics::getName)
                .thenComparing(ModelStatistics::getVersion));
    assertThat(models).extracting(ModelStatistics::getName).contains("simple", "repeat");
  }

  @Rule("STAT-08")
  void listsAModelsVersionsOrTheOneThatIsRequested() {
    assertThat(listed("name: 'two_versions'"))
        .extracting(ModelStatistics::getVersion)
        .containsExactly("1", "3");
    assertThat(listed("name: 'two_versions' version: '3'"))
        .extracting(ModelStatistics::getVersion)
        .containsExactly("3");
  }

  @RuleTable(
      """
      STAT-09 | name: 'unknown'             | requested model 'unknown' is not available
      STAT-10 | name: 'simple' version: '7' | requested model version is not available for model 'simple'
      STAT-10 | name: 'simple' version: 'x' | ...
      """)
  void rejectsWhatIsNotReady(String request, String text) {
    rejected("ModelStatistics", request, Status.Code.INVALID_ARGUMENT, text);
  }
}
