package io.nereid.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusedLeasesTest {
  private long nanos = Long.MAX_VALUE; // overflows
  private final RefusedLeases refused = new RefusedLeases(() -> nanos);

  @Test
  void logsOneAMinuteAndCountsAll() {
    try (var log = new LogCapture(RefusedLeases.class.getName())) {
      for (int i = 0; i < 1000; i++) {
        refused.count(MemoryErrors.exhausted("no memory for " + i));
      }
      nanos += Duration.ofSeconds(59).toNanos();
      refused.count(MemoryErrors.exhausted("nor for this"));
      nanos += Duration.ofSeconds(1).toNanos();
      refused.count(MemoryErrors.exhausted("still none"));

      assertThat(log.messages())
          .containsExactly(
              "no memory for 0; refused so far: 1. This is logged once a minute at most.",
              "still none; refused so far: 1002. This is logged once a minute at most.");
    }
    assertThat(refused.sum()).isEqualTo(1002);
  }
}
