package io.nereid.engine.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.engine.execution.batch.Tensors;
import io.nereid.engine.execution.batch.TestRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.request.Parameter;
import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a request that is detached from its execution. */
@Timeout(120)
class DetachedRequestsTest extends DetachingGroup {
  private static void onAnotherThread(Runnable call) {
    try {
      Thread.ofVirtual().start(call).join();
    } catch (InterruptedException stopped) {
      throw new AssertionError(stopped);
    }
  }

  @Test
  void isAnsweredByAnyThreadAfterItsExecution() {
    try (InstanceGroup group = serve(SINGLE, 10)) {
      TestRequest first = send("a", 1, 2);
      TestRequest second = send("b", 3);
      DetachedRequest a = take();
      DetachedRequest b = take();
      awaitParked("instance m_0");
      assertThat(group.detached()).isEqualTo(2);
      assertThat(first.outcome().calls()).isZero();

      onAnotherThread(() -> {
        assertThat(b.request().id()).isEqualTo("b");
        fill(b, b.input("IN").orElseThrow().data().get(Elements.INT, 0) * 10);
        b.send();
      });
      assertThat(output(second)).containsExactly(30);
      assertThat(second.ended()).hasValue(1);
      assertThat(first.ended()).hasValue(0);

      assertThat(Tensors.values(a.input("IN").orElseThrow())).containsExactly(1, 2);
      assertThat(a.input("NONE")).isEmpty();
      assertThat(a.wants("OUT")).isTrue();
      assertThat(a.wants("OTHER")).isFalse();
      fill(a, 7, 8);
      a.parameter("p", new Parameter.OfString("v"));
      a.send();
      assertThat(first.ended()).hasValue(1);
      assertThat(first.outcome().response().parameters()).containsKey("p");
      assertThat(output(first)).containsExactly(7, 8);
      assertThat(group.detached()).isZero();
    }
  }

  @Test
  void theMemoryOfItsInputsIsReleasedBeforeTheResponseAndNoEarlier() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      assertThat(pool.outstanding()).isEqualTo(1); // of the inputs
      later.fail(InferenceException.unavailable("no luck"));
      assertThat(request.outcome().failure()).hasMessage("no luck");
      assertThat(pool.outstanding()).isZero();
    }
  }

  @Test
  void aRequestThatEndsDuringItsExecutionKeepsItsInputsUntilThatHasReturned() {
    var mayReturn = new CountDownLatch(1);
    List<Integer> read = new ArrayList<>();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          detached.add(results.detach(0));
          await(mayReturn);
          read.addAll(Tensors.values(batch.gathered("IN").orElseThrow()));
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 5);
      DetachedRequest later = take();
      fill(later, 6);
      later.send();
      assertThat(output(request)).containsExactly(6); // at once
      assertThat(request.ended()).hasValue(0);
      mayReturn.countDown();
      await(() -> request.ended().get() == 1);
      assertThat(read).containsExactly(5);
    }
  }

  @Test
  void whatWasGivenBeforeStaysWithTheRequest() {
    var released = new AtomicInteger();
    BiConsumer<Batch, Results> work =
        (_, results) -> {
          Tensor four = Tensors.ints("OUT", Shape.of(1), 4);
          results.give(0, four, released::incrementAndGet);
          results.parameter(0, "p", new Parameter.OfLong(3));
          detached.add(results.detach(0));
          assertThat(results.wants("OUT")).isFalse();
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      take().send();
      assertThat(request.outcome().response().parameters()).containsKey("p");
      assertThat(released).hasValue(0);
      assertThat(output(request)).containsExactly(4);
      assertThat(released).hasValue(1);
    }
  }

  @Test
  void itHasLeftTheResultsOfItsBatchButNotTheBatch() {
    List<String> failures = new ArrayList<>();
    BiConsumer<Batch, Results> work =
        (batch, results) -> {
          detached.add(results.detach(0));
          assertThat(batch.input(0, "IN")).isPresent();
          List<Runnable> calls =
              List.of(
                  () -> results.send(0),
                  () -> results.fail(0, InferenceException.internal("")),
                  () -> results.detach(0),
                  () -> results.wants(0, "OUT"),
                  () -> results.parameter(0, "p", new Parameter.OfLong(1)),
                  () -> results.allocate(0, "OUT", DataType.INT32, Shape.of(1), 4));
          for (Runnable call : calls) {
            assertThatIllegalStateException()
                .isThrownBy(call::run)
                .satisfies(failure -> failures.add(failure.getMessage()));
          }
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
    }
    assertThat(failures)
        .hasSize(6)
        .containsOnly("model 'm' used request 'a' of a batch, which is detached from it");
  }

  @Test
  void anExceptionFromItsExecutionDoesNotEndIt() {
    BiConsumer<Batch, Results> work =
        (_, results) -> {
          detached.add(results.detach(0));
          throw InferenceException.internal("the rest of the batch is lost");
        };
    try (InstanceGroup _ = serve(SINGLE, 10, work)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
    }
  }

  @Test
  void aCallAfterTheEndFailsAndIsLoggedOnce() {
    try (InstanceGroup _ = serve(SINGLE, 10);
        var log = new LogCapture("io.nereid.engine.execution.batch.DetachedResponder")) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0"); // so that the end of the request is not left to it
      fill(later, 2);
      later.send();
      assertThat(output(request)).containsExactly(2);
      var released = new AtomicInteger();
      List<Runnable> calls =
          List.of(
              later::send,
              later::finish,
              later::request,
              later::isTraced,
              () -> later.fail(InferenceException.internal("")),
              () -> later.input("IN"),
              () -> later.wants("OUT"),
              () -> later.parameter("p", new Parameter.OfLong(1)),
              () -> later.activity("A", 1),
              () -> later.onCancel(() -> {}),
              () -> later.allocate("OUT", DataType.INT32, Shape.of(1), 4),
              () -> later.give(Tensors.ints("OUT", Shape.of(1), 1), released::incrementAndGet));
      for (Runnable call : calls) {
        assertThatIllegalStateException()
            .isThrownBy(call::run)
            .withMessage(
                "[request id: a] model 'm': backend 'b' used a detached request after its end");
      }
      assertThat(released).hasValue(1);
      assertThat(later.isCancelled()).isTrue();
      assertThat(log.messages()).hasSize(1);
      assertThat(request.ended()).hasValue(1);
      assertThat(request.outcome().calls()).isEqualTo(1);
    }
  }

  @Test
  void ofAnAnswerAndAFailureAtTheSameTimeOneEndsTheRequest() throws InterruptedException {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      for (int round = 0; round < 200; round++) {
        TestRequest request = send("a", 1);
        DetachedRequest later = take();
        var failed = new AtomicInteger();
        List<Runnable> ends =
            List.of(later::send, () -> later.fail(InferenceException.internal("other")));
        List<Thread> threads = new ArrayList<>();
        for (Runnable end : ends) {
          threads.add(
              Thread.ofVirtual()
                  .start(() -> {
                    try {
                      end.run();
                    } catch (IllegalStateException tooLate) {
                      failed.incrementAndGet();
                    }
                  }));
        }
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(failed).hasValue(1);
        await(() -> request.ended().get() == 1);
        request.outcome().awaitAndClose();
        assertThat(request.outcome().calls()).isEqualTo(1);
      }
    }
  }

  @Test
  void aWrongOutputFailsItOnceTheBackendHasEndedIt() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      var memory = later.allocate("NONE", DataType.INT32, Shape.of(1), 4);
      memory.set(Elements.INT, 0, 1); // stays valid
      assertThat(request.outcome().calls()).isZero();
      fill(later, 1);
      later.send();
      assertThat(request.outcome().failure())
          .hasMessageContaining("output 'NONE': not declared by the model");
      assertThatIllegalStateException().isThrownBy(later::send);
    }
    assertThat(pool.outstanding()).isZero();
  }

  @Test
  void aWrongOutputOfADecoupledModelFailsItAtOnceAndKeepsTheMemory() {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      awaitParked("instance m_0");
      try (var arena = Arena.ofConfined()) {
        var confined = new Tensor("OUT", DataType.INT32, Shape.of(1), arena.allocate(4));
        var released = new AtomicInteger();
        later.give(confined, released::incrementAndGet);
        assertThat(released).hasValue(1);
      }
      assertThat(request.outcome().failure()).hasMessageContaining("confined arena");
      assertThat(later.isCancelled()).isTrue();
      assertThat(request.ended()).hasValue(0);
      later.send(); // has no effect
      later.finish();
      assertThat(request.ended()).hasValue(1);
    }
  }

  @Test
  void aDecoupledModelSendsManyResponsesLater() {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      for (int i = 0; i < 3; i++) {
        fill(later, i);
        later.send();
      }
      fill(later, 9);
      later.finish();
      assertThat(request.outcome().earlier())
          .extracting(response -> Tensors.values(response.outputs().getFirst()))
          .containsExactly(List.of(0), List.of(1), List.of(2));
      request.outcome().earlier().forEach(response -> response.close());
      await(() -> request.ended().get() == 1);
      assertThat(request.outcome().calls()).isEqualTo(1);
      var responses = statistics.snapshot(0, List.of()).responses();
      assertThat(responses).hasSize(4); // the end is the last one
    }
  }

  @Test
  void aModelThatIsNotDecoupledSendsOneResponseAndDoesNotFinish() {
    try (InstanceGroup _ = serve(SINGLE, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      assertThatIllegalStateException()
          .isThrownBy(later::finish)
          .withMessage("model 'm' is not decoupled: each request gets one response");
      fill(later, 1);
      later.send();
      assertThat(output(request)).containsExactly(1);
    }
  }

  @Test
  void theReleaseOfAnOutputMayTakeALockThatIsHeldWhereTheRequestIsUsed() throws Exception {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      TestRequest request = send("a", 1);
      DetachedRequest later = take();
      request.pending().promise().cancel();
      var began = new CountDownLatch(1);
      var unlocked = new CountDownLatch(1);
      later.give(
          Tensors.ints("OUT", Shape.of(1), 4),
          () -> {
            began.countDown();
            await(unlocked);
          });
      Thread sender = Thread.ofPlatform().start(later::send); // drops the response
      await(began);

      var used = CompletableFuture.supplyAsync(() -> later.wants("OUT"));

      try {
        assertThat(used.get(20, TimeUnit.SECONDS)).isTrue();
      } finally {
        unlocked.countDown();
      }
      sender.join();
      later.finish();
    }
  }

  @Test
  void aRequestEndsWhileOneOfItsResponsesWaitsForRoom() throws Exception {
    try (InstanceGroup _ = serve(DECOUPLED, 10)) {
      var waits = new CountDownLatch(1);
      var room = new CountDownLatch(1);
      var failed = new CountDownLatch(1);
      var receiver =
          new ResponseReceiver() {
            @Override
            public void next(InferenceResponse response) {
              response.close();
            }

            @Override
            public void awaitRoom() {
              waits.countDown();
              await(room);
            }

            @Override
            public void answer(InferenceResponse response) {
              response.close();
            }

            @Override
            public void fail(InferenceException reason) {
              failed.countDown();
            }
          };
      var ended = new CountDownLatch(1);
      submit(
          TestRequest.pending(
              pool, "a", ended::countDown, receiver, Tensors.ints("IN", Shape.of(1), 1)));
      DetachedRequest later = take();
      Thread sender = Thread.ofPlatform().start(later::send);
      await(waits);

      var fails = CompletableFuture.runAsync(() -> later.fail(InferenceException.cancelled()));

      try {
        fails.get(20, TimeUnit.SECONDS);
      } finally {
        room.countDown();
      }
      sender.join();
      await(failed);
      await(ended);
    }
  }
}
