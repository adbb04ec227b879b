package io.nereid.server.codec.protobuf;

import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.protocol.inference.InferBatchStatistics;
import io.nereid.protocol.inference.InferResponseStatistics;
import io.nereid.protocol.inference.InferStatistics;
import io.nereid.protocol.inference.ModelStatistics;
import io.nereid.protocol.inference.ModelStatisticsResponse;
import io.nereid.protocol.inference.StatisticDuration;
import io.nereid.spi.MemoryUsage;
import java.util.List;

/** Writes a {@code ModelStatisticsResponse}. */
public final class StatisticsProtoWriter {
  private StatisticsProtoWriter() {}

  public static ModelStatisticsResponse write(List<StatisticsSnapshot> models) {
    var response = ModelStatisticsResponse.newBuilder();
    models.forEach(model -> response.addModelStats(model(model)));
    return response.build();
  }

  private static ModelStatistics model(StatisticsSnapshot snapshot) {
    var model =
        ModelStatistics.newBuilder()
            .setName(snapshot.model().name())
            .setVersion(Long.toString(snapshot.model().version()))
            .setLastInference(snapshot.lastInferenceMillis())
            .setInferenceCount(snapshot.inferenceCount())
            .setExecutionCount(snapshot.executionCount())
            .setInferenceStats(requests(snapshot.requests()));
    snapshot.batches().forEach((size, batch) -> model.addBatchStats(batch(size, batch)));
    for (int i = 0; i < snapshot.responses().size(); i++) {
      model.putResponseStats(Integer.toString(i), response(snapshot.responses().get(i)));
    }
    for (MemoryUsage usage : snapshot.memoryUsage()) {
      model.addMemoryUsage(
          io.nereid.protocol.inference.MemoryUsage.newBuilder()
              .setType(usage.type())
              .setId(usage.id())
              .setByteSize(usage.byteSize()));
    }
    return model.build();
  }

  private static InferStatistics requests(StatisticsSnapshot.Requests requests) {
    return InferStatistics.newBuilder()
        .setSuccess(duration(requests.success()))
        .setFail(duration(requests.fail()))
        .setQueue(duration(requests.queue()))
        .setComputeInput(duration(requests.computeInput()))
        .setComputeInfer(duration(requests.computeInfer()))
        .setComputeOutput(duration(requests.computeOutput()))
        .setCacheHit(duration(requests.cacheHit()))
        .setCacheMiss(duration(requests.cacheMiss()))
        .build();
  }

  private static InferBatchStatistics batch(long size, StatisticsSnapshot.Batches batch) {
    return InferBatchStatistics.newBuilder()
        .setBatchSize(size)
        .setComputeInput(duration(batch.computeInput()))
        .setComputeInfer(duration(batch.computeInfer()))
        .setComputeOutput(duration(batch.computeOutput()))
        .build();
  }

  private static InferResponseStatistics response(StatisticsSnapshot.Responses response) {
    return InferResponseStatistics.newBuilder()
        .setComputeInfer(duration(response.computeInfer()))
        .setComputeOutput(duration(response.computeOutput()))
        .setSuccess(duration(response.success()))
        .setFail(duration(response.fail()))
        .setEmptyResponse(duration(response.emptyResponse()))
        .setCancel(duration(response.cancel()))
        .build();
  }

  private static StatisticDuration duration(StatisticsSnapshot.DurationSum duration) {
    return StatisticDuration.newBuilder()
        .setCount(duration.count())
        .setNs(duration.nanos())
        .build();
  }
}
