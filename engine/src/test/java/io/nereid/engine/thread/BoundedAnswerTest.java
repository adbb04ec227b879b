package io.nereid.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BoundedAnswerTest {
  private static final long SECOND = 1_000_000_000;

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch gate = new CountDownLatch(1);

  private BoundedAnswer<String> answer(Supplier<String> question, @Nullable String late) {
    return new BoundedAnswer<>("q", question, "first", "failed", late, nanos::get);
  }

  private String held() {
    asked.incrementAndGet();
    boolean interrupted = false;
    while (gate.getCount() > 0) {
      try {
        gate.await();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return "told";
  }

  private static void await(BoundedAnswer<String> answer, String expected) {
    while (!answer.get().equals(expected)) { // until the timeout
      Thread.onSpinWait();
    }
  }

  @Test
  void asksEachTime() {
    var count = new AtomicInteger();
    BoundedAnswer<String> answer = answer(() -> "told " + count.incrementAndGet(), null);

    while (count.get() < 3) { // until the timeout
      assertThat(answer.get()).isIn("first", "told 1", "told 2", "told 3");
    }
  }

  @Test
  void aQuestionThatThrowsHasTheAnswerForThatAndALineOfTheLog() {
    try (var log = new LogCapture(ThreadGuard.class.getName())) {
      BoundedAnswer<String> answer =
          answer(
              () -> {
                throw new StackOverflowError("of a test");
              },
              null);

      await(answer, "failed");
      await(answer, "failed");

      assertThat(log.messages()).hasSize(1);
    }
  }

  @Test
  void aQuestionIsLateAfterASecondAndAskedOnce() {
    try (var log = new LogCapture(BoundedAnswer.class.getName())) {
      BoundedAnswer<String> answer = answer(this::held, "late");

      assertThat(answer.get()).isEqualTo("first");
      nanos.set(SECOND - 1);
      assertThat(answer.get()).isEqualTo("first");
      assertThat(log.messages()).isEmpty();
      nanos.set(SECOND);
      assertThat(answer.get()).isEqualTo("late");
      nanos.set(SECOND + 1);
      assertThat(answer.get()).isEqualTo("late");

      assertThat(asked).hasValue(1);
      assertThat(log.messages()).containsExactly("q is not answered for 1 s");
      gate.countDown();
      await(answer, "told");
    }
  }

  @Test
  void theLastAnswerCountsWhereThereIsNoneForALateQuestion() {
    var isHeld = new AtomicInteger();
    BoundedAnswer<String> answer =
        answer(() -> isHeld.getAndIncrement() == 0 ? "told first" : held(), null);
    await(answer, "told first");

    assertThat(answer.get()).isEqualTo("told first");
    nanos.set(2 * SECOND);
    assertThat(answer.get()).isEqualTo("told first");

    gate.countDown();
    await(answer, "told");
  }
}
