package io.nereid.server.telemetry.logging;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Writes each record at once, if its level is to be shown. A line that cannot be written, as when
 * the disk is full, is lost and counted: standard error says so, once a minute, and the next line
 * that can be written begins anew. Thread-safe.
 */
public final class LogHandler extends Handler {
  private static final long REPORT_NANOS = Duration.ofMinutes(1).toNanos();

  private final OutputStream target;
  private final PrintStream standardError;
  private final LongSupplier clock;
  private final LogTail tail;
  private final AtomicLong lost = new AtomicLong();
  private volatile LogSettings shown;

  /** Whether the last line may have been written in part; guarded by this. */
  private boolean torn;

  /** When standard error was told of lost lines; guarded by this, as is whether it was. */
  private long reportedNanos;

  private boolean hasReported;

  /**
   * @param standardError gets a line about lines that are lost
   * @param clock nanoseconds from any origin
   * @param tail gets the lines too, also those that cannot be written
   */
  public LogHandler(
      OutputStream target,
      Formatter formatter,
      LogSettings shown,
      PrintStream standardError,
      LongSupplier clock,
      LogTail tail) {
    this.tail = tail;
    this.target = target;
    this.shown = shown;
    this.standardError = standardError;
    this.clock = clock;
    setFormatter(formatter);
    setLevel(Level.ALL);
  }

  /** Shows the levels of other settings from now on. */
  public void show(LogSettings settings) {
    shown = settings;
  }

  /** How many lines could not be written. */
  public long lostLines() {
    return lost.get();
  }

  @Override
  public void publish(LogRecord record) {
    if (isShown(record.getLevel().intValue(), shown)) {
      String line = getFormatter().format(record);
      tail.add(record.getLevel(), line);
      write(line.getBytes(StandardCharsets.UTF_8));
    }
  }

  private synchronized void write(byte[] line) {
    try {
      if (torn) {
        target.write('\n');
      }
      torn = true;
      target.write(line);
      target.flush();
      torn = false;
    } catch (IOException failure) {
      lost.incrementAndGet();
      report(failure);
    }
  }

  private void report(IOException failure) {
    long now = clock.getAsLong();
    if (!hasReported || now - reportedNanos >= REPORT_NANOS) {
      hasReported = true;
      reportedNanos = now;
      standardError.printf(
          "nereid: the log cannot be written: %s; %d lines are lost%n",
          failure.getMessage(), lost.get());
    }
  }

  private static boolean isShown(int level, LogSettings settings) {
    if (level >= Level.SEVERE.intValue()) {
      return settings.error();
    }
    if (level >= Level.WARNING.intValue()) {
      return settings.warning();
    }
    return level < Level.INFO.intValue() || settings.info();
  }

  @Override
  public void flush() {
    // each line is
  }

  @Override
  public void close() {
    // the file is written until the process ends
  }
}
