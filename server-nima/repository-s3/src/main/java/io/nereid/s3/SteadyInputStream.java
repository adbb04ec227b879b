package io.nereid.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A stream that fails if it is too slow, as one from a store that sends a byte now and then: it
 * would not end within any time that someone waits. Only the time within reads counts.
 */
final class SteadyInputStream extends FilterInputStream {
  /** How many bytes have to come in {@link #PERIOD}. */
  private static final int MIN_BYTE_SIZE = 64 * 1024;

  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final LongSupplier nanoClock;
  private long waitedNanos;
  private long received;

  /**
   * @param in closed with this stream
   */
  SteadyInputStream(InputStream in, LongSupplier nanoClock) {
    super(in);
    this.nanoClock = nanoClock;
  }

  @Override
  public int read() throws IOException {
    long before = nanoClock.getAsLong();
    int value = in.read();
    count(value < 0 ? value : 1, before);
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    long before = nanoClock.getAsLong();
    int read = in.read(target, offset, length);
    count(read, before);
    return read;
  }

  private void count(int read, long beforeNanos) throws IOException {
    waitedNanos += nanoClock.getAsLong() - beforeNanos;
    received += Math.max(0, read);
    if (read < 0 || waitedNanos < PERIOD.toNanos()) {
      return;
    }
    if (received < MIN_BYTE_SIZE) {
      throw new IOException(
          "the store sent %d bytes in %d s; at least %d are expected"
              .formatted(received, PERIOD.toSeconds(), MIN_BYTE_SIZE));
    }
    waitedNanos = 0;
    received = 0;
  }
}
