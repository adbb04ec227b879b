package io.nereid.engine.execution.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.engine.execution.GroupUnderTest;
import io.nereid.engine.request.PendingRequest;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of {@link RequestBatch} and {@link GatherBuffers}. */
class BatchTest extends GatheredRequests {
  private TestRequest request(long rows, Tensor... inputs) {
    TestRequest request = TestRequest.of(pool, "r" + requests.size(), rows, inputs);
    requests.add(request);
    return request;
  }

  private static ModelConfig config(TensorConfig... inputs) {
    return ModelConfig.of("m", "b").withSignature(8, List.of(inputs), List.of());
  }

  private static TensorConfig input(String name) {
    return TensorConfig.of(name, DataType.INT32, Shape.of(2));
  }

  private static TensorConfig ragged(String name) {
    return Tensors.config(name, Shape.of(-1), Optional.empty(), true, false);
  }

  private static TensorConfig shapeTensor(String name) {
    return Tensors.config(name, Shape.of(-1), Optional.empty(), false, true);
  }

  private static TensorConfig reshaped(Shape dims, Shape reshape) {
    return Tensors.reshaped("A", dims, reshape);
  }

  @Test
  void gathersTheRowsOfAllRequestsInOrder() {
    request(1, Tensors.ints("A", Shape.of(1, 2), 1, 2));
    request(2, Tensors.ints("A", Shape.of(2, 2), 3, 4, 5, 6));
    RequestBatch batch = batch(config(input("A")));

    Tensor gathered = batch.gathered("A").orElseThrow();

    assertThat(batch.rows()).isEqualTo(3);
    assertThat(gathered.shape()).isEqualTo(Shape.of(3, 2));
    assertThat(Tensors.values(gathered)).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void gathersASingleRequestWithoutACopy() {
    Tensor input = Tensors.ints("A", Shape.of(1, 2), 1, 2);
    request(1, input);

    assertThat(batch(config(input("A"))).gathered("A")).containsSame(input);
  }

  @Test
  void gathersRaggedInputsOfDifferentShapes() {
    request(1, Tensors.ints("A", Shape.of(1, 2), 1, 2));
    request(1, Tensors.ints("A", Shape.of(1, 3), 3, 4, 5));

    Tensor gathered = batch(config(ragged("A"))).gathered("A").orElseThrow();

    assertThat(gathered.shape()).isEqualTo(Shape.of(5));
    assertThat(Tensors.values(gathered)).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aRaggedInputHasOneDimensionIfShapesAreEqualToo() {
    request(2, Tensors.ints("A", Shape.of(2, 2), 1, 2, 3, 4));
    Tensor alone = batch(config(ragged("A"))).gathered("A").orElseThrow();
    request(1, Tensors.ints("A", Shape.of(1, 2), 5, 6));
    Tensor together = batch(config(ragged("A"))).gathered("A").orElseThrow();

    assertThat(alone.shape()).isEqualTo(Shape.of(4));
    assertThat(Tensors.values(alone)).containsExactly(1, 2, 3, 4);
    assertThat(together.shape()).isEqualTo(Shape.of(6));
    assertThat(Tensors.values(together)).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void rejectsDifferentShapesOfAnInputThatIsNotRagged() {
    request(1, Tensors.ints("A", Shape.of(1, 2), 1, 2));
    request(1, Tensors.ints("A", Shape.of(1, 3), 3, 4, 5));
    RequestBatch batch = batch(config(input("A")));

    Assertions.assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> batch.gathered("A"))
        .withMessage("input 'A' has different shapes in one batch, among them [1,2]");
  }

  @Test
  void gathersTheShapeTensorOfTheFirstRequest() {
    Tensor shape = Tensors.ints("A", Shape.of(2), 640, 480);
    request(1, shape);
    request(1, Tensors.ints("A", Shape.of(2), 640, 480));

    assertThat(batch(config(shapeTensor("A"))).gathered("A")).containsSame(shape);
  }

  @Test
  void gathersAnOptionalInputOfTheRequestsThatHaveIt() {
    request(1, Tensors.ints("A", Shape.of(1, 2), 1, 2));
    request(1);

    RequestBatch batch = batch(config(input("A")));

    assertThat(Tensors.values(batch.gathered("A").orElseThrow())).containsExactly(1, 2);
    assertThat(batch.gathered("B")).isEmpty();
    assertThat(batch.input(1, "A")).isEmpty();
  }

  @Test
  void gathersAnInputIntoOneBufferHoweverOftenItIsAskedFor() {
    request(1, Tensors.ints("A", Shape.of(1, 2), 1, 2));
    request(1, Tensors.ints("A", Shape.of(1, 2), 3, 4));
    RequestBatch small = batch(config(input("A")));
    MemorySegment first = small.gathered("A").orElseThrow().data();
    assertThat(small.gathered("A").orElseThrow().data().address()).isEqualTo(first.address());

    gatherBuffers.release();
    request(8, Tensors.ints("A", Shape.of(8, 2), new int[16]));
    Tensor larger = batch(config(input("A"))).gathered("A").orElseThrow();

    assertThat(larger.shape()).isEqualTo(Shape.of(10, 2));
    assertThat(pool.outstanding()).as("a buffer, and a lease of each request").isEqualTo(4);
  }

  @Test
  void reshapesInputsAndKeepsTheBatchDimension() {
    request(3, Tensors.ints("A", Shape.of(3, 4, 5), new int[60]));

    Tensor input =
        batch(config(reshaped(Shape.of(-1, 5), Shape.of(5, 1, -1)))).input(0, "A").orElseThrow();

    assertThat(input.shape()).isEqualTo(Shape.of(3, 5, 1, 4));
  }

  @Test
  void aReshapeToNoDimensionKeepsTheBatchDimension() {
    request(2, Tensors.ints("A", Shape.of(2, 1), 7, 8));

    Tensor input = batch(config(reshaped(Shape.of(1), Shape.of()))).input(0, "A").orElseThrow();

    assertThat(input.shape()).isEqualTo(Shape.of(2));
    assertThat(Tensors.values(input)).containsExactly(7, 8);
  }

  @Test
  void aBatchIsCancelledOnceAllItsRequestsAre() {
    TestRequest one = request(1);
    TestRequest other = request(1);
    RequestBatch batch = batch(config());
    var cancelled = new AtomicInteger();
    batch.onCancel(cancelled::incrementAndGet);

    one.pending().promise().cancel();
    assertThat(batch.isCancelled()).isFalse();
    assertThat(cancelled).hasValue(0);
    other.pending().promise().cancel();

    assertThat(batch.isCancelled()).isTrue();
    assertThat(cancelled).hasValue(1);
  }

  @Test
  void runsTheActionOfACancelledBatchAtOnceAndOnce() {
    TestRequest one = request(1);
    TestRequest other = request(1);
    one.pending().promise().cancel();
    other.pending().promise().cancel();
    var cancelled = new AtomicInteger();

    batch(config()).onCancel(cancelled::incrementAndGet);

    assertThat(cancelled).hasValue(1);
  }

  @Test
  @Timeout(60)
  void anActionMayTakeALockThatTheExecutionHolds() throws Exception {
    PendingRequest one = request(1).pending();
    RequestBatch batch = batch(config());
    var began = new CountDownLatch(1);
    var unlocked = new CountDownLatch(1); // by the backend's code in execute()
    batch.onCancel(() -> {
      began.countDown();
      GroupUnderTest.await(unlocked);
    });
    Thread canceller = Thread.ofPlatform().start(one.promise()::cancel);
    GroupUnderTest.await(began);

    var asked = CompletableFuture.supplyAsync(batch::isCancelled);

    try {
      assertThat(asked.get(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      unlocked.countDown();
    }
    batch.end();
    canceller.join();
  }

  @Test
  @Timeout(60)
  void theEndWaitsForAnActionThatRuns() throws InterruptedException {
    PendingRequest one = request(1).pending();
    RequestBatch batch = batch(config());
    var began = new CountDownLatch(1);
    var mayReturn = new CountDownLatch(1);
    var returned = new AtomicInteger();
    batch.onCancel(() -> {
      began.countDown();
      GroupUnderTest.await(mayReturn);
      returned.incrementAndGet();
    });
    Thread canceller = Thread.ofPlatform().start(one.promise()::cancel);
    GroupUnderTest.await(began);
    var seen = new AtomicInteger();

    Thread ender =
        Thread.ofPlatform()
            .start(() -> {
              batch.end();
              seen.set(returned.get());
            });

    GroupUnderTest.await(() -> ender.getState() == Thread.State.WAITING);
    mayReturn.countDown();
    ender.join();
    canceller.join();
    assertThat(seen).hasValue(1);
  }

  @Test
  void doesNotRunTheActionAfterTheEnd() {
    TestRequest one = request(1);
    RequestBatch batch = batch(config());
    var cancelled = new AtomicInteger();
    batch.onCancel(cancelled::incrementAndGet);

    batch.end();
    one.pending().promise().cancel();

    assertThat(cancelled).hasValue(0);
  }

  @Test
  void anActionThatThrowsIsALineOfTheLog() {
    request(1).pending().promise().cancel();
    try (var log = new LogCapture(CancelAction.class.getName())) {
      batch(config())
          .onCancel(() -> {
            throw new LinkageError("of a test");
          });

      assertThat(log.messages()).containsExactly("an action on cancellation failed");
    }
  }

  @Test
  void rejectsASecondAction() {
    request(1);
    RequestBatch batch = batch(config());
    batch.onCancel(() -> {});

    Assertions.assertThatIllegalStateException().isThrownBy(() -> batch.onCancel(() -> {}));
  }

  @Test
  void aLateCancellationDoesNotAffectTheNextBatch() {
    TestRequest first = request(1);
    TestRequest second = request(1);
    var filled = new DispatchedBatch();
    filled.add(first.pending());
    var batch =
        new RequestBatch(TestRequest.model(config(), pool), filled, gatherBuffers, null, false);
    var cancelled = new ArrayList<String>();
    batch.begin();
    batch.onCancel(() -> cancelled.add("first"));
    batch.end();
    filled.clear();
    filled.add(second.pending());
    batch.begin();
    batch.onCancel(() -> cancelled.add("second"));

    first.pending().promise().cancel();
    assertThat(cancelled).isEmpty();
    second.pending().promise().cancel();

    assertThat(cancelled).containsExactly("second");
  }
}
