package io.nereid.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedPageTest {
  private final AtomicInteger made = new AtomicInteger();
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore mayEnd = new Semaphore(0);

  private byte[] make() {
    byte number = (byte) made.incrementAndGet();
    begun.release();
    mayEnd.acquireUninterruptibly();
    return new byte[] {number};
  }

  @Test
  void clientsThatAskWhileAPageIsMadeShareTheNextOne() {
    var page = new SharedPage(this::make);
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = CompletableFuture.supplyAsync(page::get, clients);
      begun.acquireUninterruptibly();
      List<CompletableFuture<byte[]>> others = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        others.add(CompletableFuture.supplyAsync(page::get, clients));
      }
      while (page.waiting() < 20) {
        Thread.onSpinWait();
      }
      mayEnd.release(2);

      assertThat(first.join()).containsExactly(1);
      assertThat(others).allSatisfy(other -> assertThat(other.join()).containsExactly(2));
    }
    assertThat(made).hasValue(2);
  }

  @Test
  void aPageIsMadeOnceInAnIntervalAtMost() {
    var page = new SharedPage(() -> new byte[0]);
    long begin = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      page.get();
    }

    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(3 * SharedPage.INTERVAL.toNanos());
  }

  @Test
  void aPageIsMadeByAPlatformThread() throws InterruptedException {
    var isVirtual = new CompletableFuture<Boolean>();
    var page =
        new SharedPage(() -> {
          isVirtual.complete(Thread.currentThread().isVirtual());
          return new byte[0];
        });
    Thread.ofVirtual().start(page::get).join();

    assertThat(isVirtual.join()).isFalse();
  }

  @Test
  void anErrorIsThatOfTheClientsThatWaitAndOfNoOther() {
    var page =
        new SharedPage(() -> {
          if (made.incrementAndGet() == 1) {
            throw new OutOfMemoryError("of a test");
          }
          return new byte[0];
        });

    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(page::get);
    assertThat(page.get()).isEmpty();
  }
}
