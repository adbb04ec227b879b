package io.nereid.benchmarks.torture.stop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LedgerTest {
  private static final long SIGNAL = 1_000;

  private final Ledger ledger = new Ledger();

  @Test
  void aRequestThatWasSentBeforeTheSignalAndFailsIsLost() {
    ledger.failed(SIGNAL - 1, "closed");
    ledger.failed(SIGNAL - 2, "closed");
    ledger.failed(SIGNAL - 2, "reset");

    assertThat(ledger.lost(SIGNAL)).isEqualTo(3);
    assertThat(ledger.refused(SIGNAL)).isZero();
    assertThat(ledger.reasons(SIGNAL)).containsExactly("closed", "reset");
  }

  @Test
  void aRequestThatWasSentAfterTheSignalOrNotAtAllIsRefused() {
    ledger.failed(SIGNAL, "closed");
    ledger.failed(Long.MAX_VALUE, "connection refused");

    assertThat(ledger.lost(SIGNAL)).isZero();
    assertThat(ledger.refused(SIGNAL)).isEqualTo(2);
    assertThat(ledger.reasons(SIGNAL)).isEmpty();
  }

  @Test
  void theSlowestAnswerIsKept() {
    ledger.answered(5);
    ledger.answered(7);
    ledger.answered(6);

    assertThat(ledger.answered()).isEqualTo(3);
    assertThat(ledger.slowestNanos()).isEqualTo(7);
  }
}
