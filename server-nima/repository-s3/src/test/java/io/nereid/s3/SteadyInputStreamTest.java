package io.nereid.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SteadyInputStreamTest {
  private long nanos;

  /** A stream without end, each read of which takes a second. */
  private SteadyInputStream stream(int bytesPerRead) {
    var slow =
        new InputStream() {
          @Override
          public int read() {
            nanos += Duration.ofSeconds(1).toNanos();
            return 0;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            read();
            return Math.min(length, bytesPerRead);
          }
        };
    return new SteadyInputStream(slow, () -> nanos);
  }

  @Test
  void aByteNowAndThenFailsAfterAMinute() throws IOException {
    try (SteadyInputStream stream = stream(1)) {
      assertThatThrownBy(stream::readAllBytes)
          .isInstanceOf(IOException.class)
          .hasMessage("the store sent 60 bytes in 60 s; at least 65536 are expected");
    }
    assertThat(nanos).isEqualTo(Duration.ofMinutes(1).toNanos());
  }

  @Test
  void aSlowButSteadyStreamIsRead() throws IOException {
    try (SteadyInputStream stream = stream(2000)) {
      assertThat(stream.readNBytes(1_000_000)).hasSize(1_000_000);
    }
  }

  @Test
  void timeBetweenReadsDoesNotCount() throws IOException {
    try (SteadyInputStream stream = stream(1)) {
      for (int each = 0; each < 59; each++) {
        assertThat(stream.read()).isZero();
        nanos += Duration.ofHours(1).toNanos();
      }
    }
  }
}
