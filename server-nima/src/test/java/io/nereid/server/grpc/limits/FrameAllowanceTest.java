package io.nereid.server.grpc.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FrameAllowanceTest {
  private final AtomicLong nanos = new AtomicLong();
  private final FrameAllowance allowance = new FrameAllowance(nanos::get);

  @Test
  void aClientHasAThousandFramesInTenSeconds() {
    allowance.spend(FrameAllowance.FREE - 1);
    allowance.spend(1);
    assertThat(allowance.isSpent()).isFalse();

    nanos.set(FrameAllowance.WINDOW.toNanos() + 1);
    allowance.spend(FrameAllowance.FREE);
    assertThat(allowance.isSpent()).isFalse();
    nanos.addAndGet(FrameAllowance.WINDOW.toNanos());
    allowance.spend(1);
    assertThat(allowance.isSpent()).isTrue();
  }

  @Test
  void whatIsSentPermitsTheClientToReturnItsWindows() {
    allowance.spend(FrameAllowance.FREE);
    allowance.sent(16 << 10);
    allowance.spend(2 + 16);
    assertThat(allowance.isSpent()).isFalse();

    allowance.sent(1023);
    allowance.spend(3);
    assertThat(allowance.isSpent()).isTrue();
  }

  @Test
  void framesThatAreEarnedLastBeyondTheWindowUpToALimit() {
    allowance.earn(2 * FrameAllowance.MOST);
    nanos.set(FrameAllowance.WINDOW.toNanos() + 1);
    allowance.spend(FrameAllowance.MOST);
    assertThat(allowance.isSpent()).isFalse();

    allowance.spend(1);
    assertThat(allowance.isSpent()).isTrue();
  }

  @Test
  void whoHasSentTooManyIsNotForgiven() {
    allowance.spend(FrameAllowance.FREE + 1);
    allowance.sent(1 << 20);
    nanos.set(FrameAllowance.WINDOW.toNanos() + 1);
    allowance.spend(1);

    assertThat(allowance.isSpent()).isTrue();
  }
}
