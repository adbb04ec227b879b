package io.nereid.engine.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.scheduling.EventRing.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventRingTest {
  private static final int CAPACITY = 4;

  private final List<Integer> delivered = new ArrayList<>();
  private final EventRing ring =
      new EventRing(CAPACITY, (_, _, number, _) -> delivered.add(number));

  private boolean offer(int number) {
    return ring.offer(Kind.ARRIVED, null, number, 0);
  }

  private void add(int number) {
    ring.add(Kind.READY, null, number, 0);
  }

  @Test
  void deliversEventsBeforeTheFirstRequest() {
    add(1);
    add(2);
    ring.drain();
    add(3);
    ring.drain();

    assertThat(delivered).containsExactly(1, 2, 3);
  }

  @Test
  void deliversEventsInTheirOrderOnceThereWasARequest() {
    assertThat(offer(1)).isTrue();
    add(2);
    assertThat(offer(3)).isTrue();
    ring.drain();

    assertThat(delivered).containsExactly(1, 2, 3);
  }

  @Test
  void rejectsRequestsAndKeepsOtherEventsWhenItIsFull() {
    for (int i = 1; i <= CAPACITY; i++) {
      assertThat(offer(i)).isTrue();
    }
    assertThat(offer(5)).isFalse();
    add(6);
    add(7);
    ring.drain();
    assertThat(delivered).containsExactly(1, 2, 3, 4, 6, 7);

    assertThat(offer(8)).isTrue();
    ring.drain();
    assertThat(delivered).endsWith(8);
  }

  @Test
  void whatAThreadHasOfferedIsDeliveredBeforeWhatItHasAddedToTheOverflow() {
    List<Integer> order = new ArrayList<>();
    var meanwhile = new ArrayDeque<Runnable>();
    var full =
        new EventRing(
            CAPACITY,
            (_, _, number, _) -> {
              order.add(number);
              if (number == 5) { // of the overflow: the ring has room again
                meanwhile.forEach(Runnable::run);
              }
            });
    for (int i = 1; i <= CAPACITY; i++) {
      assertThat(full.offer(Kind.ARRIVED, null, i, 0)).isTrue();
    }
    full.add(Kind.READY, null, 5, 0);
    full.add(Kind.READY, null, 6, 0);
    meanwhile.add(() -> assertThat(full.offer(Kind.ARRIVED, null, 7, 0)).isTrue());
    meanwhile.add(() -> full.add(Kind.CANCELLED, null, 8, 0));
    full.drain();
    full.drain();

    assertThat(order).startsWith(1, 2, 3, 4, 5).containsSubsequence(6, 8).hasSize(8);
    assertThat(order.indexOf(7)).isLessThan(order.indexOf(8));
  }

  @Test
  @Timeout(60)
  void losesNoRequestOfThreadsThatAreFirstAtTheSameTime() throws Exception {
    int threads = 4;
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      for (int round = 0; round < 200; round++) {
        var fresh = new EventRing(CAPACITY, (_, _, number, _) -> delivered.add(number));
        var together = new CyclicBarrier(threads);
        List<Future<Boolean>> offers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          int number = i;
          offers.add(
              executor.submit(() -> {
                together.await();
                return fresh.offer(Kind.ARRIVED, null, number, 0);
              }));
        }
        for (Future<Boolean> offer : offers) {
          assertThat(offer.get()).isTrue();
        }
        delivered.clear();
        fresh.drain();
        assertThat(delivered).containsExactlyInAnyOrder(0, 1, 2, 3);
      }
    }
  }
}
