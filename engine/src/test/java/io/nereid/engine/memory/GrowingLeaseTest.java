package io.nereid.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrowingLeaseTest {
  private static final long AHEAD = LeaseSource.LEAST_AHEAD;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final List<Long> leased = new ArrayList<>();
  private final LeaseSource source =
      byteSize -> {
        leased.add(byteSize);
        return pool.lease(byteSize);
      };

  @AfterEach
  void everyLeaseIsClosed() {
    assertThat(pool.outstanding()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 65_536, 65_537, 131_073, 1_000_003})
  void aBodyOfKnownLengthIsWhatWasPutIntoItsRoom(int length) {
    byte[] sent = bytes(length);
    try (var body = GrowingLease.ofLength(source, 24, length)) {
      put(body, sent);
      try (Lease whole = body.finish()) {
        assertThat(whole.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(sent);
        assertThat(whole.segment().address() % BufferPool.ALIGNMENT).isEqualTo(24);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 65_536, 65_537, 131_073, 1_000_003})
  void soIsABodyWithoutALength(int length) {
    byte[] sent = bytes(length);
    try (var body = GrowingLease.upTo(source, 24, Long.MAX_VALUE, 16)) {
      put(body, sent);
      assertThat(body.filled()).isEqualTo(length);
      try (Lease whole = body.finish()) {
        assertThat(whole.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(sent);
        assertThat(whole.segment().address() % BufferPool.ALIGNMENT).isEqualTo(24);
      }
    }
  }

  @Test
  void aBodyOfNoBytesIsEmpty() {
    try (var body = GrowingLease.ofLength(source, 0, 0);
        Lease whole = body.finish()) {
      assertThat(whole.segment().byteSize()).isZero();
    }
  }

  @Test
  void anAnnouncedLengthLeasesNoMoreThanTheSourceAllowsAhead() {
    try (var body = GrowingLease.ofLength(source, 0, 2L << 30)) {
      assertThat(body.room().remaining()).isEqualTo((int) AHEAD);
      body.room().put((byte) 1);
    }
    assertThat(leased).containsExactly(AHEAD);
  }

  @Test
  void aShortBodyIsLeasedAtOnce() {
    try (var body = GrowingLease.ofLength(source, 64, AHEAD - 64)) {
      put(body, bytes((int) AHEAD - 64));
    }
    assertThat(leased).containsExactly(AHEAD);
  }

  @Test
  void aBodyOfKnownLengthGrowsToTheFirstLeaseTimesPowersOfTwoAndEndsWithItsOwnSize() {
    try (var body = GrowingLease.ofLength(source, 0, 300_001)) {
      put(body, bytes(300_001));
    }
    assertThat(leased).containsExactly(37_501L, 75_001L, 150_001L, 300_001L);
  }

  @Test
  void aBodyWithoutALengthDoublesUpToItsLimit() {
    try (var body = GrowingLease.upTo(source, 0, 300_001, 100)) {
      put(body, bytes(300_001));
      assertThatIllegalStateException().isThrownBy(body::room);
      assertThat(body.filled()).isEqualTo(300_001);
    }
    assertThat(leased).containsExactly(100L, AHEAD, 2 * AHEAD, 4 * AHEAD, 300_001L);
  }

  @ParameterizedTest
  @ValueSource(longs = {2_001, Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE})
  void aBodyThatTheSourceCanNeverHoldIsRefusedBeforeAnythingIsLeased(long length) {
    try (var small = new SlabPool(new CountingAllocator(), 3_000)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> GrowingLease.ofLength(small, 0, length))
          .withMessage(
              "the request body of %d bytes exceeds what the server can hold, which is 2000 bytes",
              length)
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
      assertThat(small.heldBytes()).isZero();
    }
  }

  @Test
  void memoryThatIsExhaustedWhileTheBodyGrowsIsReleasedAtItsClose() {
    LeaseSource exhausted =
        byteSize -> {
          if (byteSize > AHEAD) {
            throw InferenceException.exhausted("no more");
          }
          return pool.lease(byteSize);
        };
    try (var body = GrowingLease.ofLength(exhausted, 0, 2 * AHEAD)) {
      put(body, bytes((int) AHEAD));
      assertThatExceptionOfType(InferenceException.class).isThrownBy(body::room);
      assertThat(body.filled()).isEqualTo(AHEAD);
      assertThat(pool.outstanding()).isEqualTo(1);
    }
  }

  @Test
  void aFinishedBodyBelongsToTheCaller() {
    var body = GrowingLease.ofLength(source, 0, 8);
    body.room().putLong(7);
    Lease whole = body.finish();
    body.close();
    assertThat(pool.outstanding()).isEqualTo(1);
    assertThatIllegalStateException().isThrownBy(body::finish);
    whole.close();
    assertThatIllegalStateException().isThrownBy(whole::close);
  }

  private static void put(GrowingLease body, byte[] sent) {
    var rest = ByteBuffer.wrap(sent);
    var random = new SplittableRandom(sent.length);
    while (rest.hasRemaining()) {
      ByteBuffer room = body.room();
      int count = Math.min(random.nextInt(1, 50_000), Math.min(rest.remaining(), room.remaining()));
      room.put(rest.slice(rest.position(), count));
      rest.position(rest.position() + count);
    }
  }

  private static byte[] bytes(int length) {
    var bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
