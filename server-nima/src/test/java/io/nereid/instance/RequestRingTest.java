package io.nereid.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.exchange.PendingRequest;
import io.nereid.memory.CheckedBufferPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RequestRingTest {
  private final CheckedBufferPool pool = new CheckedBufferPool();

  private PendingRequest request(int number) {
    return TestRequest.of(pool, Integer.toString(number), 1).pending();
  }

  private static String id(@Nullable PendingRequest request) {
    return request == null ? "none" : request.request().id();
  }

  @Test
  void oneReaderTakesRequestsInOrderOfArrival() throws Exception {
    var ring = new RequestRing(8);
    RequestRing.Reader reader = ring.reader();
    for (int round = 0; round < 5; round++) { // around the ring and more
      for (int i = 0; i < 6; i++) {
        assertThat(ring.offer(request(i))).isTrue();
      }
      assertThat(ring.waiting()).isEqualTo(6);
      for (int i = 0; i < 6; i++) {
        assertThat(id(reader.take())).isEqualTo(Integer.toString(i));
      }
    }
    assertThat(ring.waiting()).isZero();
  }

  @Test
  void aFullRingRefusesAndTakesAgainOnceThereIsRoom() throws Exception {
    var ring = new RequestRing(4);
    RequestRing.Reader reader = ring.reader();
    for (int i = 0; i < 4; i++) {
      assertThat(ring.offer(request(i))).isTrue();
    }
    assertThat(ring.offer(request(4))).isFalse();
    assertThat(ring.offer(request(4))).isFalse();

    assertThat(id(reader.take())).isEqualTo("0");

    assertThat(ring.offer(request(5))).isTrue();
    assertThat(ring.offer(request(6))).isFalse();
    assertThat(List.of(id(reader.take()), id(reader.take()), id(reader.take()), id(reader.take())))
        .containsExactly("1", "2", "3", "5");
  }

  @Test
  void aReaderThatIsBusyHoldsNoSlot() throws Exception {
    var ring = new RequestRing(4);
    RequestRing.Reader busy = ring.reader();
    RequestRing.Reader idle = ring.reader();
    assertThat(ring.offer(request(0))).isTrue();
    assertThat(id(busy.take())).isEqualTo("0"); // and never comes back for more

    for (int i = 1; i <= 100; i++) {
      assertThat(ring.offer(request(i))).as("offer %d", i).isTrue();
      assertThat(id(idle.take())).isEqualTo(Integer.toString(i));
    }
  }

  @Test
  void stoppingWakesEveryReader() throws Exception {
    var ring = new RequestRing(4);
    List<CompletableFuture<String>> taken = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RequestRing.Reader reader = ring.reader();
      var result = new CompletableFuture<String>();
      taken.add(result);
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  result.complete(id(reader.take()));
                } catch (InterruptedException stopped) {
                  result.completeExceptionally(stopped);
                }
              }));
    }
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }

    ring.stop();

    for (CompletableFuture<String> each : taken) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo("none");
    }
  }

  @Test
  void aReaderThatComesAfterTheStopGetsNothing() throws Exception {
    var ring = new RequestRing(4);
    RequestRing.Reader reader = ring.reader();
    ring.stop();

    assertThat(reader.take()).isNull();
  }

  /**
   * A producer may claim a later slot while an earlier one is not yet published: a reader of the
   * earlier one must not run off with an empty slot. A small ring and many producers make that
   * happen within thousands of requests.
   */
  @Test
  void everyRequestOfManyProducersIsTakenExactlyOnceByOneOfSeveralReaders() throws Exception {
    int producers = 4;
    int readers = 3;
    int each = 50_000;
    var ring = new RequestRing(16);
    PendingRequest[] requests = new PendingRequest[producers * each];
    byte[][] seen = new byte[readers][requests.length];
    PendingRequest template = request(0);
    for (int i = 0; i < requests.length; i++) {
      requests[i] =
          new PendingRequest(
              new io.nereid.request.InferenceRequest(
                  template.request().model(),
                  Integer.toString(i),
                  List.of(),
                  List.of(),
                  template.request().options()),
              1,
              List.of(),
              () -> {},
              template.promise());
    }
    var left = new CountDownLatch(requests.length);
    try (ExecutorService threads = Executors.newFixedThreadPool(producers + readers)) {
      List<Future<?>> work = new ArrayList<>();
      for (int r = 0; r < readers; r++) {
        RequestRing.Reader reader = ring.reader();
        byte[] mine = seen[r];
        work.add(
            threads.submit(() -> {
              for (PendingRequest next = reader.take(); next != null; next = reader.take()) {
                mine[Integer.parseInt(next.request().id())]++;
                left.countDown();
              }
              return null;
            }));
      }
      for (int p = 0; p < producers; p++) {
        int first = p * each;
        work.add(
            threads.submit(() -> {
              for (int i = first; i < first + each; i++) {
                while (!ring.offer(requests[i])) {
                  LockSupport.parkNanos(1_000);
                }
              }
            }));
      }
      boolean all = left.await(90, TimeUnit.SECONDS);
      ring.stop();
      for (Future<?> one : work) {
        one.get(60, TimeUnit.SECONDS);
      }
      assertThat(all).as("%d requests were not taken", left.getCount()).isTrue();
    }
    for (int i = 0; i < requests.length; i++) {
      int times = 0;
      for (byte[] mine : seen) {
        times += mine[i];
      }
      if (times != 1) {
        throw new AssertionError("request %d was taken %d times".formatted(i, times));
      }
    }
  }
}
