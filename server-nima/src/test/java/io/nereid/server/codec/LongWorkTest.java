package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LongWorkTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Test
  @Timeout(120)
  void aThreadThatIsWokenRunsWhileMoreThreadsThanProcessorsAreAtLongWork() throws Exception {
    int workers = 4 * Runtime.getRuntime().availableProcessors();
    var working = new CountDownLatch(workers);
    var ended = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                working.countDown();
                for (long done = 1; !ended.get(); done++) {
                  LongWork.pauseAfter(done);
                }
              }));
    }
    try {
      working.await();
      var other = Thread.ofVirtual().start(() -> ended.set(true));

      assertThat(other.join(LIMIT)).isTrue();
    } finally {
      ended.set(true);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
