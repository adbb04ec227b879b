package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A group of one instance whose model detaches requests, which the test answers. */
abstract class DetachingGroup extends GroupUnderTest {
  static final ModelConfig SINGLE =
      ModelConfig.of("m", "b")
          .withSignature(
              0,
              List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(-1))),
              List.of(
                  TensorConfig.of("OUT", DataType.INT32, Shape.of(-1)),
                  TensorConfig.of("OTHER", DataType.INT32, Shape.of(-1))));
  static final ModelConfig DECOUPLED = SINGLE.withDecoupled(true);

  final BlockingQueue<DetachedRequest> detached = new LinkedBlockingQueue<>();
  private final Queue<AssertionError> wrongExecutions = new ConcurrentLinkedQueue<>();
  final AtomicInteger executions = new AtomicInteger();
  private @Nullable SchedulerLoop scheduler;

  @AfterEach
  void executionsWereRight() {
    assertThat(wrongExecutions).isEmpty();
  }

  /** Serves a model that detaches every request. */
  InstanceGroup serve(ModelConfig config, int limit) {
    return serve(config, limit, (_, results) -> detached.add(results.detach(0)));
  }

  InstanceGroup serve(ModelConfig config, int limit, BiConsumer<Batch, Results> work) {
    FakeModel model =
        FakeModel.executing((_, batch, results) -> {
          executions.incrementAndGet();
          try {
            work.accept(batch, results);
          } catch (AssertionError wrong) { // which does not fail a detached request
            wrongExecutions.add(wrong);
            throw wrong;
          }
        });
    var shared = GroupSettings.of(ExecutedModels.of(config, model, pool, clock::nanos, statistics));
    var limited = limited(shared, shared.limits().rates(), limit);
    InstanceGroup group = InstanceGroup.open(limited, List.of(FakeModel.instance("m_0")));
    scheduler = SchedulerLoop.start(group, clock, QueueLimits.of(16), DecisionJournal.NONE);
    return group;
  }

  TestRequest send(String id, int... values) {
    return send(
        TestRequest.of(
            pool, id, 1, List.of("OUT"), Tensors.ints("IN", Shape.of(values.length), values)));
  }

  TestRequest send(TestRequest request) {
    submit(request.pending());
    return request;
  }

  @Override
  void submit(PendingRequest request) {
    Objects.requireNonNull(scheduler).submit(request);
  }

  DetachedRequest take() {
    try {
      DetachedRequest taken = detached.poll(60, TimeUnit.SECONDS);
      return Objects.requireNonNull(taken, "no request was detached");
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  static void fill(DetachedRequest request, int... values) {
    var shape = Shape.of(values.length);
    Tensors.fill(request.allocate("OUT", DataType.INT32, shape, 4L * values.length), values);
  }

  static List<Integer> output(TestRequest request) {
    try (var response = request.outcome().response()) {
      return Tensors.values(response.output("OUT").orElseThrow());
    }
  }
}
