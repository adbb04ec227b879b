package io.nereid.engine.telemetry.refusal;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private enum Kind implements RefusalKind {
    SLOW_HEAD("slow requests are refused"),
    CONNECTIONS("connections above the limit are refused"),
    IDLE("idle connections are closed") {
      @Override
      public Level level() {
        return Level.DEBUG;
      }
    };

    private final String event;

    Kind(String event) {
      this.event = event;
    }

    @Override
    public String event() {
      return event;
    }
  }

  private long nanos = Long.MAX_VALUE; // overflows
  private final Refusals<Kind> refusals = new Refusals<>(Kind.class, "HTTP", () -> nanos);

  @Test
  void logsEachKindOnceAMinuteAndCountsAll() {
    try (var log = new LogCapture(RefusalCounter.class.getName())) {
      for (int i = 0; i < 1000; i++) {
        refusals.count(Kind.SLOW_HEAD, "10.0.0." + i);
      }
      refusals.count(Kind.CONNECTIONS, "local");
      nanos += Duration.ofSeconds(59).toNanos();
      refusals.count(Kind.SLOW_HEAD, "local");
      nanos += Duration.ofSeconds(1).toNanos();
      refusals.count(Kind.SLOW_HEAD, "local");

      assertThat(log.messages())
          .containsExactly(
              "HTTP: slow requests are refused, the last of client 10.0.0.0; so far 1. This is"
                  + " logged once a minute at most.",
              "HTTP: connections above the limit are refused, the last of client local; so far 1."
                  + " This is logged once a minute at most.",
              "HTTP: slow requests are refused, the last of client local; so far 1002. This is"
                  + " logged once a minute at most.");
    }
    assertThat(refusals.counts())
        .containsEntry(Kind.SLOW_HEAD, 1002L)
        .containsEntry(Kind.CONNECTIONS, 1L)
        .containsEntry(Kind.IDLE, 0L);
  }

  @Test
  void labelsAKindWithItsNameInLowerCase() {
    assertThat(Kind.SLOW_HEAD.label()).isEqualTo("slow_head");
  }
}
