package io.nereid.server.telemetry.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

/** The log on a disk that becomes full. */
class LogHandlerTest {
  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final ByteArrayOutputStream standardError = new ByteArrayOutputStream();
  private boolean full;
  private long nanos;

  private final LogTail tail = new LogTail(3);

  private final LogHandler handler =
      new LogHandler(
          new OutputStream() {
            @Override
            public void write(int value) throws IOException {
              write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              file.write(bytes, offset, full ? length / 2 : length);
              if (full) {
                throw new IOException("No space left on device");
              }
            }
          },
          new Formatter() {
            @Override
            public String format(LogRecord record) {
              return record.getMessage() + "\n";
            }
          },
          LogSettings.DEFAULT,
          new PrintStream(standardError, true, UTF_8),
          () -> nanos,
          tail);

  private void log(Level level, String message) {
    handler.publish(new LogRecord(level, message));
  }

  @Test
  void eachLineIsWrittenAtOnceIfItsLevelIsShown() {
    log(Level.INFO, "first");
    log(Level.SEVERE, "second");
    handler.show(LogSettings.DEFAULT.withVerboseLevel(0));
    log(Level.WARNING, "third");

    assertThat(file.toString(UTF_8)).isEqualTo("first\nsecond\nthird\n");
    assertThat(handler.lostLines()).isZero();
  }

  @Test
  void theLastLinesAreKeptWithTheirLevelsAlsoIfTheyCannotBeWritten() {
    log(Level.INFO, "first");
    log(Level.SEVERE, "second");
    log(Level.WARNING, "third");
    assertThat(tail.since(0)).hasSize(3);
    full = true;
    log(Level.INFO, "fourth");

    assertThat(tail.since(0))
        .containsExactly(
            new LogTail.Line(1, "error", "second"),
            new LogTail.Line(2, "warning", "third"),
            new LogTail.Line(3, "info", "fourth"));
    assertThat(tail.since(3)).hasSize(1);
    assertThat(tail.since(4)).isEmpty();
  }

  @Test
  void detailsAndLinesThatAreNotShownAreNotKept() {
    log(Level.FINE, "a header of a library");
    handler.show(LogSettings.DEFAULT.withInfo(false));
    log(Level.INFO, "not shown");

    assertThat(tail.since(0)).isEmpty();
  }

  @Test
  void aLongLineIsCutInTheTail() {
    String limit = "x".repeat(LogTail.MAX_LENGTH - 1);
    log(Level.INFO, limit); // and its end
    log(Level.INFO, limit + "x");

    assertThat(tail.since(0).get(0).text()).isEqualTo(limit);
    assertThat(tail.since(0).get(1).text()).isEqualTo(limit + "x…");
  }

  @Test
  void linesThatCannotBeWrittenAreCountedAndToldOnceAMinute() {
    full = true;
    log(Level.INFO, "lost");
    log(Level.INFO, "lost, too");
    nanos += TimeUnit.MINUTES.toNanos(1) - 1;
    log(Level.INFO, "lost as well");
    nanos++;
    log(Level.INFO, "the fourth");

    assertThat(handler.lostLines()).isEqualTo(4);
    assertThat(standardError.toString(UTF_8).lines())
        .containsExactly(
            "nereid: the log cannot be written: No space left on device; 1 lines are lost",
            "nereid: the log cannot be written: No space left on device; 4 lines are lost");
  }

  @Test
  void aLineBehindOneThatWasCutBeginsAnew() {
    full = true;
    log(Level.INFO, "half");
    full = false;
    log(Level.INFO, "whole");

    assertThat(file.toString(UTF_8)).isEqualTo("ha\nwhole\n");
  }
}
