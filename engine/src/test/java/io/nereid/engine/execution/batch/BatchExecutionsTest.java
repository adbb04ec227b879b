package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.FakeModel;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.telemetry.statistics.TestStatistics;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Successive executions that reuse the same objects. */
@Timeout(60)
class BatchExecutionsTest {
  private static final ModelConfig CONFIG =
      ModelConfig.of("m", "b")
          .withSignature(
              8,
              List.of(),
              Stream.of("OUT", "SPARE", "UNWANTED")
                  .map(name -> TensorConfig.of(name, DataType.INT32, Shape.of(1)))
                  .toList());

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final DispatchedBatch execution = new DispatchedBatch();
  private Runnable onReturn = () -> {};
  private final BatchExecutions executions =
      new BatchExecutions(
          ExecutedModels.of(
              CONFIG,
              FakeModel.executing(FakeModel.EMPTY_RESPONSES),
              pool,
              () -> 0,
              TestStatistics.of(new ModelKey("m", 1))),
          new ExecutingInstance(
              "m_0",
              false,
              TestRequest.detached(),
              () -> null,
              (_, _) -> {},
              () -> onReturn.run(),
              _ -> {
                throw new AssertionError("no sequence has been rescheduled");
              }),
          execution,
          TestRequest.meter());

  @AfterEach
  void noLeaseIsOutstanding() {
    executions.close();
    assertThat(pool.outstanding()).isZero();
  }

  private TestRequest request(String id) {
    return TestRequest.of(pool, id, 1);
  }

  private void execute(BiConsumer<Batch, Results> model, TestRequest... requests) {
    for (TestRequest request : requests) {
      execution.add(request.pending());
    }
    FakeModel.Work work = (_, batch, results) -> model.accept(batch, results);
    executions.run(FakeModel.executing(work).open(FakeModel.instance("m_0")));
  }

  private void executeFailing(TestRequest request) {
    BiConsumer<Batch, Results> failing =
        (_, _) -> {
          throw InferenceException.unavailable("no");
        };
    execute(failing, request);
  }

  private static InferenceResponse response(TestRequest request) {
    assertThat(request.outcome().calls()).isEqualTo(1);
    assertThat(request.ended()).hasValue(1);
    return request.outcome().response();
  }

  /** The objects of an execution that a backend has kept. */
  private static final class Kept implements BiConsumer<Batch, Results> {
    private final List<Batch> batches = new ArrayList<>();
    private final List<Results> results = new ArrayList<>();

    @Override
    public void accept(Batch batch, Results ofBatch) {
      batches.add(batch);
      results.add(ofBatch);
    }

    /** All calls that a backend can make with them. */
    List<ThrowingCallable> uses(Tensor tensor, Runnable release) {
      Batch batch = batches.getFirst();
      Results of = results.getFirst();
      return List.of(
          batch::size,
          batch::rows,
          () -> batch.request(0),
          () -> batch.isPadding(0),
          () -> batch.input(0, "A"),
          () -> batch.gathered("A"),
          () -> batch.state(0, "A"),
          () -> batch.onCancel(() -> {}),
          () -> of.wants("OUT"),
          () -> of.wants(0, "OUT"),
          () -> of.allocateBatch("OUT", DataType.INT8, Shape.of(1)),
          () -> of.allocate(0, "OUT", DataType.INT8, Shape.of(1), 1),
          () -> of.giveBatch(tensor, release),
          () -> of.give(0, tensor, release),
          () -> of.parameter(0, "late", new Parameter.OfLong(1)),
          () -> of.allocateState(0, "OUT", DataType.INT8, Shape.of(1)),
          of::computeStarted,
          of::computeEnded,
          () -> of.send(0),
          () -> of.fail(0, InferenceException.internal("late")));
    }
  }

  private static void assertRejected(ThrowingCallable use) {
    assertThatIllegalStateException()
        .isThrownBy(use)
        .withMessage(
            "model 'm' used a batch after its end, or from a thread other than its instance's");
  }

  private static Tensor tensor() {
    return Tensors.ints("OUT", Shape.of(1, 1), 7);
  }

  @Test
  void keepsNoBufferOfABatchThatHasEnded() {
    List<Long> gathered = new ArrayList<>();
    for (int rows : new int[] {1, 4}) {
      var input = Tensors.ints("A", Shape.of(rows, 1), new int[rows]);
      execute(
          (batch, _) -> gathered.add(batch.gathered("A").orElseThrow().byteSize()),
          TestRequest.of(pool, "a", rows, input),
          TestRequest.of(pool, "b", rows, input));

      assertThat(pool.outstanding()).isZero();
    }
    assertThat(gathered).containsExactly(8L, 32L);
  }

  @Test
  void reportsTheReturnOfTheBackendBeforeItResponds() {
    TestRequest request = request("r");
    var responses = new ArrayList<Integer>();
    onReturn = () -> responses.add(request.outcome().calls());

    execute((_, _) -> assertThat(responses).isEmpty(), request);

    assertThat(responses).containsExactly(0);
    response(request).close();
  }

  @Test
  void reportsTheReturnOfABackendThatFails() {
    TestRequest request = request("r");
    var returned = new AtomicInteger();
    onReturn = returned::incrementAndGet;

    executeFailing(request);

    assertThat(returned).hasValue(1);
    assertThat(request.outcome().failure().getMessage()).isEqualTo("no");
  }

  @Test
  void rejectsCallsAfterTheEndOfTheExecution() {
    var kept = new Kept();
    var released = new AtomicInteger();
    TestRequest request = request("r");
    execute(kept, request);

    kept.uses(tensor(), released::incrementAndGet).forEach(BatchExecutionsTest::assertRejected);

    assertThat(released).as("both outputs").hasValue(2);
    assertThat(kept.batches.getFirst().isCancelled()).isTrue();
    response(request).close();
  }

  @Test
  void rejectsCallsOfAnotherThreadDuringALaterExecution() throws InterruptedException {
    var kept = new Kept();
    execute(kept, request("first"));
    var released = new AtomicInteger();
    List<ThrowingCallable> rejected = new ArrayList<>();
    TestRequest later = request("later");

    execute(
        (_, results) -> {
          Thread late =
              Thread.ofPlatform()
                  .start(() -> {
                    for (ThrowingCallable use : kept.uses(tensor(), released::incrementAndGet)) {
                      assertRejected(use);
                      rejected.add(use);
                    }
                  });
          join(late);
          Tensors.fill(results.allocate(0, "OUT", DataType.INT32, Shape.of(1, 1), 4), 1);
        },
        later);

    assertThat(rejected).hasSize(20);
    assertThat(released).hasValue(2);
    try (InferenceResponse response = response(later)) {
      assertThat(response.parameters()).isEmpty();
      assertThat(response.outputs()).hasSize(1);
      assertThat(Tensors.values(response.outputs().getFirst())).containsExactly(1);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void anExecutionKeepsNoStateOfTheOneBefore() {
    TestRequest failing = request("failing");
    TestRequest full = request("full");
    var cancelled = new AtomicInteger();
    execute(
        (batch, results) -> {
          batch.onCancel(cancelled::incrementAndGet);
          results.fail(0, InferenceException.unavailable("no"));
          Tensors.fill(results.allocate(1, "OUT", DataType.INT32, Shape.of(1, 1), 4), 1);
          results.allocate(1, "SPARE", DataType.INT32, Shape.of(1, 1), 4);
          results.parameter(1, "key", new Parameter.OfLong(1));
          results.allocateBatch("UNWANTED", DataType.INT32, Shape.of(2, 1));
        },
        failing,
        full);
    assertThat(failing.outcome().failure()).hasMessage("no");

    TestRequest next = request("next");
    execute(
        (batch, results) -> {
          assertThat(batch.size()).isEqualTo(1);
          assertThat(batch.isCancelled()).isFalse();
          batch.onCancel(cancelled::incrementAndGet);
          assertThat(results.wants(0, "OUT")).isTrue();
          assertThatExceptionOfType(IndexOutOfBoundsException.class)
              .isThrownBy(() -> results.wants(1, "OUT"));
        },
        next);

    assertThat(response(next).outputs()).isEmpty();
    assertThat(response(next).parameters()).isEmpty();
    assertThat(response(full).outputs()).hasSize(1);
    assertThat(response(full).parameters()).containsOnlyKeys("key");
    response(full).close();
    assertThat(cancelled).hasValue(0);
  }

  @Test
  void anExecutionAfterOneThatFailedSucceeds() {
    TestRequest failing = request("failing");
    executeFailing(failing);
    TestRequest next = request("next");

    execute((_, _) -> {}, next);

    assertThat(failing.outcome().failure()).hasMessage("no");
    response(next).close();
  }

  @Test
  void keepsNoReferenceToARequestAfterItsExecution() throws InterruptedException {
    List<WeakReference<PendingRequest>> ended = executed(3);

    while (ended.stream().anyMatch(request -> request.get() != null)) { // until the timeout
      System.gc();
      Thread.sleep(1);
    }

    assertThat(ended).hasSize(3);
  }

  private List<WeakReference<PendingRequest>> executed(int size) {
    TestRequest[] requests =
        IntStream.range(0, size).mapToObj(i -> request("r" + i)).toArray(TestRequest[]::new);
    execute((batch, _) -> batch.onCancel(() -> {}), requests);
    return Stream.of(requests).map(request -> new WeakReference<>(request.pending())).toList();
  }

  @Test
  void aParameterOfAFailedRequestIsDropped() {
    var failed = request("failed");
    execute(
        (_, results) -> {
          results.fail(0, InferenceException.internal("bad"));
          results.parameter(0, "k", new Parameter.OfLong(1));
        },
        failed);
    var next = request("next");
    execute((_, _) -> {}, next);

    try (InferenceResponse response = response(next)) {
      assertThat(response.parameters()).isEmpty();
    }
  }
}
