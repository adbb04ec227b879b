package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.config.QueuePolicy;
import io.nereid.engine.execution.batch.TestRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures and cancellations of batches while others are in flight. */
@Timeout(120)
class PipelinedFailuresTest extends PipelineUnderTest {
  @Test
  void aBatchThatFailsToStartLeavesTheOthersInFlight() {
    FakeDevice device = device(2).failingToStart("b", FakeDevice.failure("no memory"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    assertThat(device.awaitStarted()).containsExactly("a");
    TestRequest b = send("b");

    assertThat(b.outcome().failure()).hasMessage("no memory");
    assertThat(a.outcome().calls()).isZero();
    TestRequest c = send("c");
    assertThat(device.awaitStarted()).containsExactly("b");
    assertThat(device.awaitStarted()).containsExactly("c");
    device.complete(2);
    assertAnswered(a, c);
  }

  @Test
  void aBatchThatFailsToFinishLeavesTheOthersInFlight() {
    FakeDevice device = device(2).failingToFinish("a", new IllegalStateException("lost"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    device.complete(1);

    assertThat(a.outcome().failure()).hasMessageContaining("lost");
    assertThat(b.outcome().calls()).isZero();
    device.complete(1);
    assertAnswered(b);
  }

  @Test
  void anInstanceThatIsNotHealthyAfterAFailureFinishesItsBatchesAndGetsNoOther() {
    FakeDevice device = device(2).failingToFinish("a", FakeDevice.failure("lost"));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    TestRequest c = send("c");
    device.awaitStarted();
    device.awaitStarted();
    device.healthy = false;

    device.complete(2);

    assertThat(a.outcome().failure()).hasMessage("lost");
    assertAnswered(b);
    String reason = "model 'm' is unavailable since instance 'm_0' failed: lost";
    assertThat(c.outcome().failure()).hasMessage(reason);
    assertThat(device.started).isEmpty();
    assertThat(Objects.requireNonNull(group).failure()).hasMessage(reason);
  }

  @Test
  void keepsTheOrderOfResponsesWhereTheModelPreservesIt() {
    FakeDevice device = device(2).failingToStart("b", FakeDevice.failure("no memory"));
    scheduling = new BatchingSettings(List.of(1), 0, true, 0, 0, QueuePolicy.NONE, Map.of());
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();
    assertThat(b.outcome().calls()).isZero();

    device.complete(1);

    assertAnswered(a);
    assertThat(b.outcome().failure()).hasMessage("no memory");
  }

  @Test
  void aCancellationConcernsItsBatchAlone() {
    Set<String> cancelled = new HashSet<>();
    FakeDevice device =
        device(2)
            .onStart((batch, _) -> {
              String id = batch.request(0).id();
              batch.onCancel(() -> cancelled.add(id));
            })
            .onFinish((batch, _) ->
                assertThat(batch.isCancelled()).isEqualTo(batch.request(0).id().equals("b")));
    serve("m_0");
    device.read(10);
    TestRequest a = send("a");
    TestRequest b = send("b");
    device.awaitStarted();
    device.awaitStarted();

    b.pending().promise().cancel();

    assertThat(cancelled).containsExactly("b");
    device.complete(2);
    assertAnswered(a);
    await(() -> b.ended().get() == 1);
  }
}
