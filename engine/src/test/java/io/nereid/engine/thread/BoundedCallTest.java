package io.nereid.engine.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BoundedCallTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final BlockingQueue<String> late = new LinkedBlockingQueue<>();

  @Test
  void returnsWhatTheCallReturns() throws Exception {
    assertThat(BoundedCall.run("t", LONG, () -> Thread.currentThread().getName(), late::add))
        .isEqualTo("t");
    assertThat(late).isEmpty();
  }

  @Test
  void throwsWhatTheCallThrowsAlsoAnError() {
    assertThatThrownBy(() ->
            BoundedCall.run(
                "t",
                LONG,
                () -> {
                  throw new StackOverflowError("of a test");
                },
                _ -> {}))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void aCallThatIsLateIsInterruptedAndWhatItReturnsIsTaken() throws InterruptedException {
    assertThatThrownBy(() ->
            BoundedCall.run(
                "t", Duration.ofMillis(1), BoundedCallTest::untilInterrupted, late::add))
        .isInstanceOf(TimeoutException.class);

    assertThat(late.poll(60, TimeUnit.SECONDS)).isEqualTo("interrupted");
  }

  private static String untilInterrupted() {
    try {
      new CountDownLatch(1).await();
      return "";
    } catch (InterruptedException expected) {
      return "interrupted";
    }
  }

  @Test
  void anInterruptOfWhoWaitsLeavesTheCallBehind() throws InterruptedException {
    Thread.currentThread().interrupt();

    assertThatThrownBy(
            () -> BoundedCall.run("t", LONG, BoundedCallTest::untilInterrupted, late::add))
        .isInstanceOf(InterruptedException.class);

    assertThat(late.poll(60, TimeUnit.SECONDS)).isEqualTo("interrupted");
  }
}
