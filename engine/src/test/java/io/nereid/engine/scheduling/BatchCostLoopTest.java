package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchCostSettings;
import io.nereid.config.BatchingSettings;
import io.nereid.config.ModelConfig;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.execution.GroupSettings;
import io.nereid.engine.execution.InstanceGroup;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.RecordedOutcome;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.telemetry.statistics.ModelStatistics;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot.BatchCosts;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.RequestOptions;
import io.nereid.spi.Batch;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A scheduler of a model whose batches have a limit of what they cost. */
@Timeout(120)
class BatchCostLoopTest {
  private static final ModelKey KEY = new ModelKey("m", 1);

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final FakeClock clock = new FakeClock();
  private final Semaphore gate = new Semaphore(0);
  private final BlockingQueue<List<String>> executed = new LinkedBlockingQueue<>();
  private final ModelStatistics statistics = TestStatistics.of(KEY);
  private final ModelConfig config =
      ModelConfig.of("m", "b")
          .withSignature(8, List.of(), List.of())
          .withScheduling(BatchingSettings.of(List.of(8), 0))
          .toBuilder()
          .parameter(BatchCostSettings.MAX_COST, "100")
          .parameter(BatchCostSettings.WEIGHT_INPUT, "ids")
          .parameter(BatchCostSettings.MAX_REORDERING, "1000")
          .build();
  private final InstanceGroup instances =
      InstanceGroup.open(
          GroupSettings.of(
              ExecutedModels.of(
                  config,
                  FakeModel.executing((_, batch, _) -> hold(batch)),
                  pool,
                  clock::nanos,
                  statistics)),
          List.of(FakeModel.instance("m_0")));
  private final Scheduler scheduler =
      SchedulerLoop.start(instances, clock, QueueLimits.of(16), DecisionJournal.NONE);

  private void hold(Batch batch) {
    executed.add(IntStream.range(0, batch.size()).mapToObj(i -> batch.request(i).id()).toList());
    gate.acquireUninterruptibly();
  }

  @AfterEach
  void everythingIsReleased() {
    gate.release(1_000);
    scheduler.close();
    instances.close();
    assertThat(pool.outstanding()).isZero();
  }

  private void submit(String id, long length) {
    var ids = new Tensor("ids", DataType.INT64, Shape.of(1, length), MemorySegment.NULL);
    scheduler.submit(
        new PendingRequest(
            new InferenceRequest(KEY, id, List.of(ids), List.of(), RequestOptions.NONE),
            1,
            List.of(),
            () -> {},
            new ResponsePromise(new RecordedOutcome()),
            clock.nanos(),
            Ticket.NEVER));
  }

  private List<String> nextExecution() throws InterruptedException {
    return executed.poll(30, TimeUnit.SECONDS);
  }

  @Test
  void readsTheWeightOfEachRequestAndCountsWhatBatchesCost() throws InterruptedException {
    submit("first", 1);
    assertThat(nextExecution()).containsExactly("first");
    submit("a", 10);
    submit("b", 60);
    submit("c", 8);
    submit("d", 50);
    gate.release(3);

    assertThat(nextExecution()).containsExactly("a", "c");
    assertThat(nextExecution()).containsExactly("b");
    assertThat(nextExecution()).containsExactly("d");
    BatchCosts costs = statistics.snapshot(0, List.of()).batchCosts().orElseThrow();
    assertThat(costs.cost().sum()).isEqualTo(1 + 20 + 60 + 50);
    assertThat(costs.padding().sum()).isEqualTo(2);
    assertThat(costs.cost().cumulative())
        .startsWith(1L, 1L, 1L, 1L, 1L, 2L, 4L)
        .last()
        .isEqualTo(4L);
    assertThat(costs.padding().cumulative()).startsWith(3L, 4L).last().isEqualTo(4L);
    assertThat(statistics.metrics(0).batchCosts()).hasValue(costs);
  }
}
