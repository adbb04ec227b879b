package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.SchedulingSettings;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.batch.ExecutedModels;
import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.scheduling.DecisionJournal;
import io.nereid.engine.scheduling.SchedulerLoop;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Instances on a {@link FakeDevice}, behind a scheduler. */
abstract class PipelineUnderTest extends GroupUnderTest {
  private @Nullable FakeDevice device;
  @Nullable InstanceGroup group;
  @Nullable SchedulerLoop scheduler;
  SchedulingSettings scheduling = new SchedulingSettings.Direct();

  FakeDevice device(int depth) {
    device = new FakeDevice(depth);
    return device;
  }

  void serve(String... instances) {
    FakeDevice model = Objects.requireNonNull(device);
    ModelConfig config = config();
    var shared = GroupSettings.of(ExecutedModels.of(config, model, pool, clock::nanos, statistics));
    group =
        InstanceGroup.open(
            limited(shared, shared.limits().rates(), maxDetached),
            Stream.of(instances).map(FakeModel::instance).toList());
    scheduler = SchedulerLoop.start(group, clock, QueueLimits.of(64), DecisionJournal.NONE);
  }

  ModelConfig config() {
    return ModelConfig.of("m", "b")
        .withSignature(8, List.of(TensorConfig.of("IN", DataType.INT32, Shape.of(1))), List.of())
        .withScheduling(scheduling);
  }

  @AfterEach
  void closeAll() {
    if (device != null && group != null) {
      device.passAll();
      group.close();
      assertThat(device.closed).hasValue(device.opened.get());
    }
  }

  TestRequest send(String id) {
    TestRequest request =
        TestRequest.of(pool, id, 1, Tensors.ints("IN", Shape.of(1, 1), id.hashCode()));
    Objects.requireNonNull(scheduler).submit(request.pending());
    return request;
  }

  static void assertAnswered(TestRequest... requests) {
    for (TestRequest request : requests) {
      request.outcome().response().close();
      assertThat(request.ended()).hasValue(1);
    }
  }
}
