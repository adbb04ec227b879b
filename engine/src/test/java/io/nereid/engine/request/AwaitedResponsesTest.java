package io.nereid.engine.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.request.ModelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AwaitedResponsesTest {
  private static final long MINUTE = 60_000_000_000L;

  private final List<String> closed = new ArrayList<>();

  /** Allows that many responses to wait. */
  private static final class Room implements AwaitedResponses.Waiting {
    private final int max;
    private final List<String> waiting = new ArrayList<>();

    Room(int max) {
      this.max = max;
    }

    @Override
    public void add(InferenceResponse response) {
      if (waiting.size() == max) {
        throw InferenceException.unavailable("no room for " + response.id());
      }
      waiting.add(response.id());
    }

    @Override
    public void remove(InferenceResponse response) {
      assertThat(waiting.removeFirst()).isEqualTo(response.id());
    }
  }

  private final Room room = new Room(2);
  private final AwaitedResponses responses = new AwaitedResponses(room);
  private final ResponsePromise promise = responses.promise();

  private InferenceResponse response(String id) {
    return new InferenceResponse(
        new ModelKey("m", 1), id, Map.of(), List.of(), List.of(() -> closed.add(id)));
  }

  private String takeId() {
    try (InferenceResponse next = responses.take(Long.MAX_VALUE)) {
      return next == null ? "end" : next.id();
    }
  }

  private void assertFailure(StatusCode code, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> responses.take(Long.MAX_VALUE))
        .withMessage(message)
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(code));
  }

  @Test
  void returnsResponsesInTheirOrderAndThenTheEnd() {
    promise.next(response("a"));
    promise.next(response("b"));
    promise.complete();

    assertThat(responses.hasNext()).isTrue();
    assertThat(List.of(takeId(), takeId(), takeId(), takeId()))
        .containsExactly("a", "b", "end", "end");
    assertThat(closed).containsExactly("a", "b");
    assertThat(room.waiting).isEmpty();
  }

  @Test
  void returnsTheOnlyResponseOfAnOrdinaryModel() {
    promise.answer(response("a"));

    assertThat(List.of(takeId(), takeId())).containsExactly("a", "end");
  }

  @Test
  void throwsAFailureBehindTheResponsesBeforeIt() {
    promise.next(response("a"));
    promise.fail(InferenceException.internal("broken"));

    assertThat(takeId()).isEqualTo("a");
    assertFailure(StatusCode.INTERNAL, "broken");
    assertThat(responses.isRejected()).isFalse();
  }

  @Test
  void tellsARejectionFromAFailure() {
    promise.reject(InferenceException.unavailable("full"));

    assertFailure(StatusCode.UNAVAILABLE, "full");
    assertThat(responses.isRejected()).isTrue();
  }

  @Test
  void cancelsTheRequestWhenTooManyWait() {
    var told = new ArrayList<String>();
    promise.onCancel(() -> told.add("cancelled"));
    promise.next(response("a"));
    promise.next(response("b"));
    promise.next(response("c"));

    assertThat(told).containsExactly("cancelled");
    assertThat(closed).containsExactly("c");
    promise.next(response("d"));
    assertThat(List.of(takeId(), takeId())).containsExactly("a", "b");
    assertFailure(StatusCode.UNAVAILABLE, "no room for c");
    assertThat(closed).containsExactlyInAnyOrder("a", "b", "c", "d");
  }

  @Test
  void failsTheRequestIfItsLastResponseFindsNoRoom() {
    promise.next(response("a"));
    promise.next(response("b"));
    promise.answer(response("c"));

    assertThat(List.of(takeId(), takeId())).containsExactly("a", "b");
    assertFailure(StatusCode.UNAVAILABLE, "no room for c");
  }

  @Test
  void aCloseCancelsTheRequestAndDropsWhatWaitsAndWhatComes() {
    promise.next(response("a"));

    responses.close();
    responses.next(response("b")); // a response that the cancellation has overtaken

    assertThat(promise.isDecided()).isTrue();
    assertThat(closed).containsExactly("a", "b");
    assertThat(room.waiting).isEmpty();
  }

  @Test
  void aCloseReleasesTheMemoryOfOutputsWithoutALock() {
    var locked = new ArrayList<Boolean>();
    promise.next(
        new InferenceResponse(
            new ModelKey("m", 1),
            "a",
            Map.of(),
            List.of(),
            List.of(() -> locked.add(Thread.holdsLock(responses)))));

    responses.close();

    assertThat(locked).containsExactly(false);
  }

  @Test
  void wakesTheThreadThatWaits() throws InterruptedException {
    var taken = new ArrayList<String>();
    var made = new CompletableFuture<ResponsePromise>();
    Thread taking =
        Thread.ofVirtual()
            .start(() -> {
              var own = new AwaitedResponses(new Room(1));
              made.complete(own.promise());
              for (var next = own.take(MINUTE); next != null; next = own.take(MINUTE)) {
                taken.add(next.id());
              }
            });
    ResponsePromise other = made.join();
    awaitParked(taking);
    other.next(response("a"));
    awaitParked(taking);
    other.answer(response("b"));

    taking.join();
    assertThat(taken).containsExactly("a", "b");
  }

  @Test
  void aDeadlineCancelsTheRequestUnlessAResponseWaits() {
    promise.next(response("a"));
    try (InferenceResponse next = responses.take(0)) {
      assertThat(next).isNotNull();
    }
    assertThat(promise.isDecided()).isFalse();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> responses.take(-1))
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.CANCELLED));
    assertThat(promise.isDecided()).isTrue();
  }

  @Test
  void anInterruptCancelsTheRequest() {
    Thread.currentThread().interrupt();

    assertFailure(StatusCode.CANCELLED, "");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(promise.isDecided()).isTrue();
  }

  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }
}
