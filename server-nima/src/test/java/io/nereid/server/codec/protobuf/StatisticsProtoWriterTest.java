package io.nereid.server.codec.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.statistics.Samples;
import io.nereid.protocol.inference.ModelStatistics;
import io.nereid.protocol.inference.StatisticDuration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatisticsProtoWriterTest {
  private static StatisticDuration duration(long count, long nanos) {
    return StatisticDuration.newBuilder().setCount(count).setNs(nanos).build();
  }

  @Test
  void writesEveryNumberIntoItsField() {
    ModelStatistics model =
        StatisticsProtoWriter.write(List.of(Samples.busy("m", 3, Map.of()))).getModelStats(0);

    assertThat(model.getName()).isEqualTo("m");
    assertThat(model.getVersion()).isEqualTo("3");
    assertThat(model.getLastInference()).isEqualTo(1_700_000_000_001L);
    assertThat(model.getInferenceCount()).isEqualTo(5);
    assertThat(model.getExecutionCount()).isEqualTo(2);
    var requests = model.getInferenceStats();
    assertThat(requests.getSuccess()).isEqualTo(duration(2, 52_000));
    assertThat(requests.getFail()).isEqualTo(duration(3, 24_000));
    assertThat(requests.getQueue()).isEqualTo(duration(2, 54_000));
    assertThat(requests.getComputeInput()).isEqualTo(duration(2, 56_000));
    assertThat(requests.getComputeInfer()).isEqualTo(duration(2, 58_000));
    assertThat(requests.getComputeOutput()).isEqualTo(duration(2, 60_000));
    assertThat(requests.hasCacheHit()).isTrue();
    assertThat(requests.hasCacheMiss()).isTrue();
    assertThat(model.getBatchStatsCount()).isEqualTo(2);
    assertThat(model.getBatchStats(0).getBatchSize()).isEqualTo(2);
    assertThat(model.getBatchStats(0).getComputeInput()).isEqualTo(duration(1, 23_000));
    assertThat(model.getBatchStats(0).getComputeInfer()).isEqualTo(duration(1, 24_000));
    assertThat(model.getBatchStats(0).getComputeOutput()).isEqualTo(duration(1, 25_000));
    assertThat(model.getResponseStatsMap()).containsOnlyKeys("0", "1", "2");
    var first = model.getResponseStatsOrThrow("0");
    assertThat(first.getComputeInfer()).isEqualTo(duration(2, 54));
    assertThat(first.getComputeOutput()).isEqualTo(duration(1, 1));
    assertThat(first.getSuccess()).isEqualTo(duration(1, 11));
    assertThat(first.getFail()).isEqualTo(duration(1, 44));
    assertThat(first.getCancel()).isEqualTo(duration(1, 55));
    assertThat(model.getResponseStatsOrThrow("2").getEmptyResponse()).isEqualTo(duration(1, 33));
    assertThat(model.getBatchStats(1).getBatchSize()).isEqualTo(4);
  }

  @Test
  void listsModelsInTheOrderGiven() {
    var models = StatisticsProtoWriter.write(List.of(Samples.idle("b", 1), Samples.idle("a", 2)));

    assertThat(models.getModelStatsList())
        .extracting(ModelStatistics::getName)
        .containsExactly("b", "a");
  }
}
