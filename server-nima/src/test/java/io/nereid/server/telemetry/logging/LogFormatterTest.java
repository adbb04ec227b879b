package io.nereid.server.telemetry.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines of the log. Source: Triton, protocol documentation, extension_logging.md. */
class LogFormatterTest {
  private static final long PID = ProcessHandle.current().pid();

  private static LogRecord record(Level level, String message) {
    var record = new LogRecord(level, message);
    record.setLoggerName(LogFormatterTest.class.getName());
    record.setInstant(Instant.parse("2026-11-21T06:58:01.123456Z"));
    return record;
  }

  @ParameterizedTest
  @CsvSource({"SEVERE,E", "WARNING,W", "INFO,I", "FINE,I"})
  void aLineHasLevelTimeProcessSourceAndTheMessageAsAString(String level, char letter) {
    String line =
        new LogFormatter(LogFormat.DEFAULT, true).format(record(Level.parse(level), "a message"));

    assertThat(line)
        .matches(
            "%s1121 06:58:01\\.123456 %d LogFormatterTest\\.java:\\d+] \"a message\"\n"
                .formatted(letter, PID));
  }

  @Test
  void aLineOfJsonIsAnObjectWithItsStackTrace() throws Exception {
    LogRecord record = record(Level.WARNING, "a \"quote\",\na line and \u202e");
    record.setThrown(new IllegalStateException("reason"));

    String line = new LogFormatter(LogFormat.JSON, false).format(record);

    assertThat(line).endsWith("}\n").doesNotContain("\u202e");
    JsonObject json = JsonParser.parseString(line).getAsJsonObject();
    assertThat(json.keySet()).containsExactly("time", "level", "pid", "source", "message", "stack");
    assertThat(json.get("level").getAsString()).isEqualTo("warning");
    assertThat(json.get("message").getAsString()).isEqualTo(record.getMessage());
    assertThat(json.get("stack").getAsString())
        .startsWith("java.lang.IllegalStateException: reason\n\tat io.nereid");
    assertThat(json.get("time").getAsString()).isEqualTo("2026-11-21T06:58:01.123456Z");
  }

  @Test
  void theIsoFormatBeginsWithTheDate() {
    var formatter = new LogFormatter(LogFormat.DEFAULT, true);
    formatter.format(LogFormat.ISO8601);

    assertThat(formatter.format(record(Level.WARNING, "a message")))
        .matches(
            "2026-11-21T06:58:01Z W %d LogFormatterTest\\.java:\\d+] \"a message\"\n"
                .formatted(PID));
  }

  @Test
  void aMessageCannotBeginALineOrControlATerminal() {
    String message = "a\nI0205 18:34:18.707423 1 file.cc:123] \"INJECTED\"\u001b[31m";

    assertThat(new LogFormatter(LogFormat.DEFAULT, true).format(record(Level.INFO, message)))
        .endsWith("] \"a\\nI0205 18:34:18.707423 1 file.cc:123] \\\"INJECTED\\\"\\u001B[31m\"\n");
  }

  /** A terminal may take U+009B for ESC [, and U+202E turns around what follows. */
  @Test
  void noneOfTheOtherControlCharactersIsWritten() {
    String message = "a\u007f\u0085\u009b31m\u2028\u202e\u2066\u00e9";

    assertThat(new LogFormatter(LogFormat.DEFAULT, true).format(record(Level.INFO, message)))
        .endsWith("] \"a\\u007F\\u0085\\u009B31m\\u2028\\u202E\\u2066\u00e9\"\n");
  }

  @Test
  void aMessageIsCutAfterSixtyFourThousandCharacters() {
    String message = "x".repeat(1 << 20);
    LogRecord record = record(Level.INFO, message);
    record.setThrown(new IllegalStateException(message));

    String[] lines = new LogFormatter(LogFormat.DEFAULT, true).format(record).split("\n", -1);

    assertThat(lines[0]).endsWith("x... (983040 more characters)\"").hasSizeLessThan(66_000);
    assertThat(lines[1]).endsWith("x... (983073 more characters)").hasSizeLessThan(66_000);
  }

  @Test
  void neitherCanTheMessageOfAFailureWhoseTraceFollowsIndented() {
    LogRecord record = record(Level.SEVERE, "failed");
    record.setThrown(new IllegalStateException("one\nI0205 two\u001b"));

    String[] lines = new LogFormatter(LogFormat.DEFAULT, true).format(record).split("\n", -1);

    assertThat(lines[0]).endsWith("] \"failed\"");
    assertThat(lines[1]).isEqualTo("\tjava.lang.IllegalStateException: one");
    assertThat(lines[2]).isEqualTo("\tI0205 two\\u001B");
    assertThat(lines[3]).startsWith("\tat io.nereid.server.telemetry.logging.LogFormatterTest.");
  }

  @Test
  void theEnvironmentCanAskForMessagesAsTheyAre() {
    assertThat(LogFormatter.escapes(null)).isTrue();
    assertThat(LogFormatter.escapes("1")).isTrue();
    assertThat(LogFormatter.escapes("0")).isFalse();
    assertThat(new LogFormatter(LogFormat.DEFAULT, false).format(record(Level.INFO, "a \"b\"")))
        .endsWith("] a \"b\"\n");
  }

  @Test
  void aTableHasLinesOfItsOwn() {
    LogRecord record = record(Level.INFO, "{0}");
    record.setParameters(new Object[] {new ModelTable(List.of())});

    assertThat(new LogFormatter(LogFormat.DEFAULT, true).format(record))
        .contains("] \n+-------+---------+--------+\n");
  }
}
