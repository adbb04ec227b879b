package io.nereid.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.Bodies;
import io.nereid.server.memory.ArenaAllocator;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.server.memory.SlabPool;
import io.nereid.tensor.Elements;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBodyTest {
  private static final long SEED = 20261121;

  private final CheckedBufferPool pool = new CheckedBufferPool();

  @AfterEach
  void releasesAllMemory() {
    assertThat(pool.outstanding()).isZero();
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new SplittableRandom(SEED).nextBytes(bytes);
    return bytes;
  }

  /** A stream that returns a few bytes per read. */
  private static InputStream trickle(byte[] bytes, int step) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] target, int offset, int length) {
        return super.read(target, offset, Math.min(length, step));
      }
    };
  }

  private void assertRead(byte[] bytes, InputStream stream, OptionalLong length, int headLength)
      throws IOException {
    try (RequestBody body =
        RequestBody.readStream(stream, length, RequestBody.padding(headLength), pool)) {
      assertThat(body.segment().toArray(Elements.BYTE)).isEqualTo(bytes);
      assertThat((body.segment().address() + headLength) % BufferPool.ALIGNMENT).isZero();
      assertThat(pool.outstanding()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 16_383, 16_384, 16_385, 32_768, 200_001})
  void readsABodyWithAndWithoutAKnownLength(int size) throws IOException {
    byte[] bytes = bytes(size);
    for (int headLength : new int[] {0, 1, 63, 64, 200}) {
      assertRead(bytes, trickle(bytes, 1000), OptionalLong.of(size), headLength);
      assertRead(bytes, trickle(bytes, 1000), OptionalLong.empty(), headLength);
      assertRead(bytes, trickle(bytes, 100_000), OptionalLong.empty(), headLength);
    }
  }

  @Test
  void doesNotReadBeyondTheEndOfABody() throws IOException {
    InputStream stream =
        new ByteArrayInputStream(bytes(10)) {
          @Override
          public synchronized int read(byte[] target, int offset, int length) {
            int count = super.read(target, offset, length);
            assertThat(count).as("a read that would wait for the next request").isPositive();
            return count;
          }
        };
    assertRead(bytes(10), stream, OptionalLong.of(10), 0);
  }

  @Test
  void rejectsABodyThatEndsEarly() {
    Bodies.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "request body ends after 70 of 100 bytes",
        () -> RequestBody.readStream(trickle(bytes(70), 50), OptionalLong.of(100), 3, pool));
  }

  @Test
  void releasesTheMemoryIfTheConnectionBreaks() {
    for (Throwable thrown : new Throwable[] {new IOException("reset"), new RuntimeException("x")}) {
      InputStream broken =
          new InputStream() {
            @Override
            public int read() {
              throw new AssertionError("byte by byte");
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
              if (thrown instanceof IOException reset) {
                throw reset;
              }
              throw (RuntimeException) thrown;
            }
          };
      assertThatExceptionOfType(Exception.class)
          .isThrownBy(() -> RequestBody.readStream(broken, OptionalLong.empty(), 0, pool))
          .isSameAs(thrown);
      assertThat(pool.outstanding()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 62, 1L << 50})
  void rejectsALengthBeyondAllMemoryAsUnavailable(long length) {
    try (var small = new SlabPool(new ArenaAllocator(), 1 << 20)) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() ->
              RequestBody.readStream(trickle(bytes(1), 1), OptionalLong.of(length), 63, small))
          .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE));
    }
  }
}
