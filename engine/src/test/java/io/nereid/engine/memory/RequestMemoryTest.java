package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
  private static final long UNIT = 1 << 20;
  private static final ClientKey ONE = new ClientKey("192.0.2.1");
  private static final ClientKey OTHER = new ClientKey("192.0.2.2");
  private static final ClientKey THIRD = new ClientKey("192.0.2.3");

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory memory = new RequestMemory(12 * UNIT, Long.MAX_VALUE);
  private final List<Lease> leases = new ArrayList<>();

  @AfterEach
  void closingTheLeasesReleasesTheBudget() {
    leases.forEach(Lease::close);
    assertThat(memory.usedBytes()).isZero();
    assertThat(pool.outstanding()).isZero();
    leases.clear();
    assertThat(takeAll(memory, ONE)).as("the share of a client that has nothing").isEqualTo(6);
    leases.forEach(Lease::close);
  }

  /** Leases units until one is refused, and returns how many there were. */
  private int takeAll(RequestMemory from, ClientKey client) {
    LeaseSource source = from.of(pool, client);
    int count = 0;
    while (true) {
      try {
        leases.add(source.lease(UNIT));
        count++;
      } catch (InferenceException exhausted) {
        return count;
      }
    }
  }

  @Test
  void aClientThatTakesAllItGetsLeavesAsMuchForOthers() {
    assertThat(takeAll(memory, ONE)).isEqualTo(6);
    assertThat(takeAll(memory, OTHER)).isEqualTo(3);
    assertThat(takeAll(memory, THIRD)).isEqualTo(1);
    assertThat(memory.usedBytes()).isEqualTo(10 * UNIT);
    assertThat(memory.refusedForClient()).isEqualTo(3);
  }

  @Test
  void aRefusalSaysWhoseMemoryIsExhaustedAndWhenToTryAgain() {
    takeAll(memory, ONE);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> memory.of(pool, ONE).lease(UNIT))
        .withMessage(
            "the client's share of request memory is exhausted: %d bytes wanted, %d of %d in use",
            UNIT, 6 * UNIT, 5 * UNIT)
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
          assertThat(failure.retryAfter()).hasValue(Duration.ofSeconds(1));
        });
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> memory.of(pool, OTHER).lease(7 * UNIT))
        .withMessage(
            "request memory is exhausted: %d bytes wanted, %d of %d in use",
            7 * UNIT, 6 * UNIT, 12 * UNIT)
        .satisfies(failure -> {
          assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
          assertThat(failure.retryAfter()).hasValue(Duration.ofSeconds(1));
        });
    assertThat(memory.refusedForServer()).isEqualTo(1);
  }

  @Test
  void aFixedLimitLowersTheShareOfAClient() {
    var limited = new RequestMemory(12 * UNIT, 2 * UNIT);

    assertThat(takeAll(limited, ONE)).isEqualTo(2);
    assertThat(takeAll(limited, OTHER)).isEqualTo(2);
    assertThat(limited.of(pool, ONE).maxByteSize()).isEqualTo(2 * UNIT);
  }

  @Test
  void whatIsTriedHasTheSameShareAndIsNoRefusal() {
    for (int i = 0; i < 6; i++) {
      assertThat(memory.tryAcquire(ONE, UNIT)).isTrue();
    }
    assertThat(memory.tryAcquire(ONE, UNIT)).isFalse();
    assertThat(memory.tryAcquire(OTHER, 7 * UNIT)).isFalse();

    assertThat(memory.usedBytes()).isEqualTo(6 * UNIT);
    assertThat(memory.refusedForClient() + memory.refusedForServer()).isZero();
    memory.release(ONE, 6 * UNIT);
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void smallLeasesAreNotCounted() {
    takeAll(memory, ONE);

    leases.add(memory.of(pool, ONE).lease(RequestMemory.UNCOUNTED));

    assertThat(memory.usedBytes()).isEqualTo(6 * UNIT);
  }

  @Test
  void aLeaseThatThePoolRefusesIsNotCounted() {
    try (var small = new SlabPool(new CountingAllocator(), UNIT)) {
      LeaseSource source = memory.of(small, ONE);

      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> source.lease(2 * UNIT))
          .withMessageStartingWith("tensor memory is exhausted");
      assertThat(source.maxByteSize()).isEqualTo(UNIT);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aLeaseThatIsClosedTwiceIsReleasedOnce() {
    Lease kept = memory.of(pool, ONE).lease(UNIT);
    leases.add(kept);
    Lease lease = memory.of(pool, ONE).lease(UNIT);
    lease.close();

    assertThatIllegalStateException().isThrownBy(lease::close);

    assertThat(memory.usedBytes()).isEqualTo(UNIT);
  }

  @Test
  void lessIsLeasedAheadTheLessIsFree() {
    var large = new RequestMemory(8L << 30, Long.MAX_VALUE);
    LeaseSource source = large.of(pool, ONE);
    assertThat(source.ahead()).isEqualTo(1 << 20);
    assertThat(source.maxByteSize()).isEqualTo(4L << 30);

    assertThat(memory.of(pool, ONE).ahead()).isEqualTo(LeaseSource.LEAST_AHEAD);
  }

  @Test
  void manyThreadsNeverHoldMoreThanTheBudgetAndReleaseAllOfIt() throws InterruptedException {
    var start = new CountDownLatch(1);
    var excess = new ConcurrentLinkedQueue<Long>();
    List<Thread> threads =
        IntStream.range(0, 8)
            .mapToObj(i ->
                Thread.ofPlatform()
                    .start(() -> {
                      LeaseSource source = memory.of(pool, new ClientKey("client " + i % 4));
                      awaitUninterruptibly(start);
                      for (int k = 0; k < 500; k++) {
                        try (Lease lease = source.lease(UNIT + k)) {
                          long used = memory.usedBytes();
                          if (used > memory.limitBytes() || used < lease.segment().byteSize()) {
                            excess.add(used);
                          }
                        } catch (InferenceException exhausted) {
                          Thread.onSpinWait();
                        }
                      }
                    }))
            .toList();
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(excess).isEmpty();
  }

  private static void awaitUninterruptibly(CountDownLatch start) {
    try {
      start.await();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  @Test
  void aClientIsAnAddressOrThePrefixOfOne() throws UnknownHostException {
    assertThat(key("192.0.2.1", 1)).isEqualTo(key("192.0.2.1", 2)).isEqualTo(ONE);
    assertThat(key("192.0.2.2", 1)).isEqualTo(OTHER);
    assertThat(key("2001:db8::1", 1))
        .isEqualTo(key("2001:db8::ffff:1", 1))
        .isEqualTo(new ClientKey("20010db800000000/64"));
    assertThat(key("2001:db8:0:1::1", 1)).isNotEqualTo(key("2001:db8::1", 1));
    assertThat(ClientKey.of(UnixDomainSocketAddress.of("/tmp/socket"))).isEqualTo(ClientKey.LOCAL);
    assertThat(ClientKey.of(InetSocketAddress.createUnresolved("host", 1)))
        .isEqualTo(ClientKey.LOCAL);
  }

  private static ClientKey key(String address, int port) throws UnknownHostException {
    return ClientKey.of(new InetSocketAddress(InetAddress.getByName(address), port));
  }
}
