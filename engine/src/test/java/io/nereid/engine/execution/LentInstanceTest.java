package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an instance is lent to a thread that has a request for it and waits for the response. */
@Timeout(120)
class LentInstanceTest extends GroupUnderTest {
  private static final String INSTANCE = "instance m_0";

  private final Queue<String> threads = new ConcurrentLinkedQueue<>();

  /** Time as the instances see it; what is executed lets it pass. */
  private final AtomicLong time = new AtomicLong();

  /** What an execution does besides taking time. */
  private volatile Runnable work = () -> {};

  private volatile long executionNanos = 1_000;

  private FakeModel model() {
    return FakeModel.onAnyThread((_, _, _) -> execute());
  }

  private FakeModel boundedModel() {
    return FakeModel.inBoundedTime((_, _, _) -> execute());
  }

  private void execute() {
    threads.add(Thread.currentThread().getName());
    time.addAndGet(executionNanos);
    work.run();
  }

  /** The thread of the test, which is not the one that has made this object. */
  private static String caller() {
    return Thread.currentThread().getName();
  }

  /** Submits a request and waits for its response, as a connection does. */
  private void infer(Tensor... inputs) {
    var receiver = new AwaitedResponse();
    infer(receiver, receiver, inputs);
  }

  /** The same of a thread for which others wait. */
  private void inferShared(Tensor... inputs) {
    var response = new AwaitedResponse();
    var receiver =
        new ResponseReceiver() {
          @Override
          public boolean isAwaitedHere() {
            return response.isAwaitedHere();
          }

          @Override
          public boolean keepsOthersWaiting() {
            return true;
          }

          @Override
          public void answer(InferenceResponse answered) {
            response.answer(answered);
          }

          @Override
          public void fail(InferenceException failure) {
            response.fail(failure);
          }
        };
    infer(response, receiver, inputs);
  }

  private void infer(AwaitedResponse receiver, ResponseReceiver first, Tensor... inputs) {
    var ended = new AtomicInteger();
    PendingRequest request = TestRequest.pending(pool, "r", ended::incrementAndGet, first, inputs);
    submit(request);
    receiver.await(request.promise(), Long.MAX_VALUE).close();
    assertThat(ended).hasValue(1);
  }

  @Test
  void aShortBatchIsExecutedByTheThreadThatAwaitsIt() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      infer();
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), caller()); // the first is not known
  }

  @Test
  void aLongBatchIsExecutedByTheInstancesThread() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      executionNanos = 1_000_000;
      infer();
      infer();
      awaitParked(INSTANCE);
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE);
  }

  @Test
  void afterAnUnexpectedlyLongBatchNothingIsLentForFiftyTimesAsLong() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      executionNanos = 1_000_000;
      infer();
      executionNanos = 1_000;
      infer();
      awaitParked(INSTANCE);
      time.addAndGet(49 * 1_000_000 - 1_000);
      infer();
      awaitParked(INSTANCE);
      time.addAndGet(1_000_000);
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE, INSTANCE, caller());
  }

  @Test
  void anExecutionThatWasInterruptedShortlyDelaysNoLoan() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      executionNanos = 300_000;
      infer();
      executionNanos = 1_000;
      infer();
      awaitParked(INSTANCE);
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE, caller());
  }

  /** Its time follows from its inputs, which were short before: it was interrupted. */
  @Test
  void afterALongBatchThatIsBoundedInTimeOnlyTheNextOneIsNotLent() {
    try (InstanceGroup _ = open(boundedModel(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      executionNanos = 100_000_000;
      infer();
      executionNanos = 1_000;
      infer();
      awaitParked(INSTANCE);
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE, caller());
  }

  @Test
  void aThreadForWhichOthersWaitBorrowsWhatIsBoundedInTime() {
    try (InstanceGroup _ = open(boundedModel(), time::get, "m_0")) {
      inferShared();
      awaitParked(INSTANCE);
      inferShared();
    }
    assertThat(threads).containsExactly(INSTANCE, caller());
  }

  @Test
  void aThreadForWhichOthersWaitBorrowsOnlyIfTheRequestBeforeWasItsOwn()
      throws InterruptedException {
    try (InstanceGroup _ = open(boundedModel(), time::get, "m_0")) {
      inferShared();
      awaitParked(INSTANCE);
      Thread.ofVirtual().start(this::inferShared).join();
      awaitParked(INSTANCE);
      inferShared();
      awaitParked(INSTANCE);
      inferShared();
    }
    assertThat(threads).containsExactly(INSTANCE, INSTANCE, INSTANCE, caller());
  }

  @Test
  void afterALongBatchNothingIsLentForAWhileToAThreadForWhichOthersWait() {
    try (InstanceGroup _ = open(boundedModel(), time::get, "m_0")) {
      inferShared();
      awaitParked(INSTANCE);
      executionNanos = 100_000_000;
      inferShared();
      executionNanos = 1_000;
      inferShared();
      awaitParked(INSTANCE);
      inferShared();
      awaitParked(INSTANCE);
      time.addAndGet(50 * 100_000_000L);
      inferShared();
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE, INSTANCE, caller());
  }

  @Test
  void aThreadForWhichOthersWaitBorrowsNothingElse() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      inferShared();
      awaitParked(INSTANCE);
      inferShared();
      awaitParked(INSTANCE);
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, INSTANCE, caller());
  }

  private static Tensor input(String name, long... dims) {
    Shape shape = Shape.of(dims);
    MemorySegment data = Arena.ofAuto().allocate(shape.elementCount() + 8);
    return new Tensor(name, DataType.UINT8, shape, data.asSlice(0, shape.elementCount()));
  }

  @Test
  void aBatchIsExecutedByTheInstancesThreadUnlessOneOfItsSizeWasShort() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer(input("IN", 4, 4));
      awaitParked(INSTANCE);
      infer(input("IN", 4, 4));
      infer(input("IN", 1, 3));
      infer(input("IN", 1, 5)); // fewer elements, but longer
      awaitParked(INSTANCE);
      infer(input("IN", 1, 5));
      infer(input("IN", 16));
      awaitParked(INSTANCE);
      infer(input("OTHER", 16));
      awaitParked(INSTANCE);
      infer(input("OTHER", 16), input("MORE", 1));
      awaitParked(INSTANCE);
      infer(input("OTHER", 15), input("MORE", 1));
    }
    assertThat(threads)
        .containsExactly(
            INSTANCE, caller(), caller(), INSTANCE, caller(), INSTANCE, INSTANCE, INSTANCE,
            caller());
  }

  /** Submits a request without inputs and waits for its response. */
  private void inferFor(List<String> outputs, Map<String, Parameter> parameters) {
    var options = new RequestOptions(SequenceId.NONE, false, false, 0, 0, parameters);
    var request = new InferenceRequest(new ModelKey("m", 1), "r", List.of(), outputs, options);
    var receiver = new AwaitedResponse();
    PendingRequest pending = TestRequest.pending(pool, request, receiver);
    submit(pending);
    receiver.await(pending.promise(), Long.MAX_VALUE).close();
  }

  /** Another output or parameter may take many times as long, whatever the inputs are. */
  @Test
  void aBatchIsExecutedByTheInstancesThreadUnlessOneThatAskedForAsMuchWasShort() {
    List<String> one = List.of("OUT");
    Map<String, Parameter> parameter = Map.of("trees", new Parameter.OfLong(1));
    try (InstanceGroup _ = open(boundedModel(), time::get, "m_0")) {
      inferFor(one, Map.of());
      awaitParked(INSTANCE);
      inferFor(one, Map.of());
      inferFor(List.of("OUT", "MORE"), Map.of());
      awaitParked(INSTANCE);
      inferFor(one, Map.of());
      inferFor(one, parameter);
      awaitParked(INSTANCE);
      inferFor(one, parameter);
      inferFor(one, Map.of());
      awaitParked(INSTANCE);
    }
    assertThat(threads)
        .containsExactly(INSTANCE, caller(), INSTANCE, caller(), INSTANCE, caller(), INSTANCE);
  }

  /** A long batch says that those before it, of the same size, say nothing of the next one. */
  @Test
  void afterALongBatchOnlyWhatWasShortSinceIsLent() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer(input("IN", 9));
      awaitParked(INSTANCE);
      executionNanos = 300_000;
      infer(input("IN", 9));
      executionNanos = 1_000;
      infer(input("IN", 2));
      awaitParked(INSTANCE);
      infer(input("IN", 9));
      awaitParked(INSTANCE);
      infer(input("IN", 2));
    }
    assertThat(threads).containsExactly(INSTANCE, caller(), INSTANCE, INSTANCE, caller());
  }

  @Test
  void aRequestThatIsNotAwaitedIsExecutedByTheInstancesThread() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      submit().outcome().response().close();
    }
    assertThat(threads).containsExactly(INSTANCE, INSTANCE);
  }

  @Test
  void threadsInTurnBorrowEachForItsOwnRequest() throws InterruptedException {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      Thread.ofPlatform().name("other").start(this::infer).join();
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, "other", caller());
  }

  @Test
  void aVirtualThreadBorrowsOnlyIfTheRequestBeforeWasItsOwn() throws InterruptedException {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      inferVirtually(1);
      inferVirtually(2);
    }
    assertThat(threads).containsExactly(INSTANCE, INSTANCE, "virtual 2");
  }

  /** So many requests of a new virtual thread, one after the other. */
  private void inferVirtually(int times) throws InterruptedException {
    Thread.ofVirtual()
        .name("virtual " + times)
        .start(() -> {
          for (int i = 0; i < times; i++) {
            infer();
            awaitParked(INSTANCE);
          }
        })
        .join();
  }

  @Test
  void anInstanceThatDoesNotRunOnAnyThreadIsNotLent() {
    FakeModel model =
        FakeModel.executing((_, _, _) -> threads.add(Thread.currentThread().getName()));
    try (InstanceGroup _ = open(model, time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      infer();
    }
    assertThat(threads).containsExactly(INSTANCE, INSTANCE);
  }

  @Test
  void theInstancesThreadExecutesWhatHasCollectedBehindAFewBatches() {
    try (InstanceGroup _ = open(model(), time::get, "m_0")) {
      infer();
      awaitParked(INSTANCE);
      List<TestRequest> others =
          List.of(request("1"), request("2"), request("3"), request("4"), request("5"));
      work =
          () -> {
            work = () -> {};
            others.forEach(this::submit);
          };
      infer();
      others.forEach(other -> other.outcome().response().close());
    }
    assertThat(threads)
        .containsExactly(INSTANCE, caller(), caller(), INSTANCE, INSTANCE, INSTANCE, INSTANCE);
  }

  @Test
  void anInstanceIsClosedOnceItIsGivenBack() throws InterruptedException {
    FakeModel model = model();
    InstanceGroup group = open(model, time::get, "m_0");
    var executing = new CountDownLatch(1);
    var gate = new CountDownLatch(1);
    Thread borrower =
        Thread.ofVirtual()
            .start(() -> {
              infer();
              awaitParked(INSTANCE);
              work =
                  () -> {
                    executing.countDown();
                    await(gate);
                  };
              infer();
            });
    await(executing);
    assertThat(group.executing()).containsExactly("m_0");
    Thread closer = Thread.ofPlatform().name("closer").start(group::close);
    awaitParked(INSTANCE);
    assertThat(model.closed()).hasValue(0);
    gate.countDown();
    borrower.join();
    closer.join();
    assertThat(model.closed()).hasValue(1);
    assertThat(threads).containsExactly(INSTANCE, "");
  }

  private TestRequest request(String id) {
    return TestRequest.of(pool, id, 1);
  }
}
