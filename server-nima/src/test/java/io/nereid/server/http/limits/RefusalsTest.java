package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.LogCapture;
import io.nereid.server.memory.ClientKey;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private long nanos = Long.MAX_VALUE; // overflows
  private final Refusals refusals = new Refusals("HTTP", () -> nanos);

  @Test
  void logsEachKindOnceAMinuteAndCountsAll() {
    try (var log = new LogCapture(Refusals.class.getName())) {
      for (int i = 0; i < 1000; i++) {
        refusals.count(Refusal.SLOW_HEAD, new ClientKey("10.0.0." + i));
      }
      refusals.count(Refusal.CONNECTIONS, ClientKey.LOCAL);
      nanos += Duration.ofSeconds(59).toNanos();
      refusals.count(Refusal.SLOW_HEAD, ClientKey.LOCAL);
      nanos += Duration.ofSeconds(1).toNanos();
      refusals.count(Refusal.SLOW_HEAD, ClientKey.LOCAL);

      assertThat(log.messages())
          .containsExactly(
              "HTTP: requests whose head does not come in time are refused; so far 1, the last of"
                  + " client 10.0.0.0. This is logged once a minute at most.",
              "HTTP: connections above the limit are refused; so far 1, the last of client local."
                  + " This is logged once a minute at most.",
              "HTTP: requests whose head does not come in time are refused; so far 1002, the last"
                  + " of client local. This is logged once a minute at most.");
    }
    assertThat(refusals.counts())
        .containsEntry(Refusal.SLOW_HEAD, 1002L)
        .containsEntry(Refusal.CONNECTIONS, 1L)
        .containsEntry(Refusal.IDLE, 0L);
  }
}
