package io.nereid.tensorrt;

import static io.nereid.tensorrt.ConcurrentInstances.get;
import static io.nereid.tensorrt.TestPlans.bare;
import static io.nereid.tensorrt.TestPlans.doubling;
import static io.nereid.tensorrt.TestPlans.underTest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The backend's option {@code execution-policy}, with instances that have a thread each, on the
 * doubles. A batch asks its results which outputs are wanted once its inputs and its execution are
 * enqueued, and before its outputs are: there a gate holds it.
 */
@UsesDoubles
class ExecutionPolicyDoubleTest {
  private static final String COPIES = "cudaMemcpyAsync";

  private final CudartDouble cuda;

  ExecutionPolicyDoubleTest(CudartDouble cuda) {
    this.cuda = cuda;
  }

  private static ConcurrentInstances model(Map<String, String> options) {
    return new ConcurrentInstances(underTest(bare("m"), doubling(4), options));
  }

  private static ConcurrentInstances deviceBlocking() {
    return model(Map.of("execution-policy", "DEVICE_BLOCKING"));
  }

  /** Waits until a thread waits for a lock, or its task has ended without. */
  private static void awaitLock(Thread thread, Future<?> task) {
    while (!task.isDone()
        && !(LockSupport.getBlocker(thread) instanceof AbstractQueuedSynchronizer)) {
      Thread.onSpinWait();
    }
    assertThat(task.isDone()).as("has not waited").isFalse();
  }

  @Test
  void withDeviceBlockingInstancesOnADeviceEnqueueOneAtATime() {
    cuda.setOperationsPerQuery(0);
    try (var served = deviceBlocking();
        var gate = new Gate("wants")) {
      var first = served.open(0);
      var second = served.open(0);
      var held = first.start(1, gate);
      gate.awaitArrival();
      long copies = cuda.calls(COPIES);

      var waiting = second.start(2);
      awaitLock(second.thread(), waiting);
      assertThat(cuda.calls(COPIES)).isEqualTo(copies);

      gate.open();
      get(held);
      get(waiting); // the first batch is in flight: nothing has run
      assertThat(get(second.finish())).isEqualTo(4);
      assertThat(get(first.finish())).isEqualTo(2);
    }
  }

  @Test
  void withDeviceBlockingInstancesOnOtherDevicesDoNotWait() {
    cuda.setDevices(2);
    try (var served = deviceBlocking();
        var gate = new Gate("wants")) {
      var first = served.open(0);
      var second = served.open(1);
      var held = first.start(1, gate);
      gate.awaitArrival();

      get(second.start(2));
      assertThat(get(second.finish())).isEqualTo(4);

      gate.open();
      get(held);
      assertThat(get(first.finish())).isEqualTo(2);
    }
  }

  @Test
  void withDeviceBlockingABatchStartsWhileAnotherInstanceFinishesOne() {
    try (var served = deviceBlocking();
        var gate = new Gate("computed")) {
      var first = served.open(0);
      var second = served.open(0);
      get(first.start(1, gate));
      var finishing = first.finish();
      gate.awaitArrival();

      get(second.start(2));
      assertThat(get(second.finish())).isEqualTo(4);

      gate.open();
      assertThat(get(finishing)).isEqualTo(2);
    }
  }

  @Test
  void withDeviceBlockingABatchThatCannotBeEnqueuedLetsTheOthersStart() {
    try (var served = deviceBlocking()) {
      var first = served.open(0);
      var second = served.open(0);
      for (String function : new String[] {COPIES, "IExecutionContext_enqueueV3"}) {
        cuda.failNext(function, 1);
        assertThatThrownBy(() -> get(first.start(1))).isInstanceOf(InferenceException.class);

        get(second.start(2));
        assertThat(get(second.finish())).isEqualTo(4);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "BLOCKING"})
  void byDefaultInstancesOnADeviceEnqueueAtTheSameTime(String policy) {
    try (var served = model(policy.isEmpty() ? Map.of() : Map.of("execution-policy", policy));
        var gate = new Gate("wants")) {
      var first = served.open(0);
      var second = served.open(0);
      var held = first.start(1, gate);
      gate.awaitArrival();

      get(second.start(2));
      assertThat(get(second.finish())).isEqualTo(4);

      gate.open();
      get(held);
      assertThat(get(first.finish())).isEqualTo(2);
    }
  }

  @Test
  void aDeviceHasOneFairLockWithDeviceBlockingAndNoneWithout() {
    var locks = new EnqueueLocks(true);
    assertThat(locks.ofDevice(0)).isSameAs(locks.ofDevice(0)).isNotSameAs(locks.ofDevice(1));
    assertThat(locks.ofDevice(0))
        .isInstanceOfSatisfying(ReentrantLock.class, lock -> assertThat(lock.isFair()).isTrue());
    assertThat(new EnqueueLocks(false).ofDevice(0)).isNull();
  }
}
