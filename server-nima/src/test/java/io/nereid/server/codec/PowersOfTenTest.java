package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

/** The table against exact arithmetic. */
class PowersOfTenTest {
  @Test
  void entriesAreTheLeadingBits() {
    for (int n = PowersOfTen.MIN; n <= PowersOfTen.MAX; n++) {
      BigInteger power = BigInteger.TEN.pow(Math.abs(n));
      BigInteger bits =
          n >= 0
              ? power.shiftLeft(128).shiftRight(power.bitLength())
              : BigInteger.ONE.shiftLeft(127 + power.bitLength()).divide(power);
      assertThat(PowersOfTen.high(n)).as("10^%d", n).isEqualTo(bits.shiftRight(64).longValue());
      assertThat(PowersOfTen.low(n)).as("10^%d", n).isEqualTo(bits.longValue());
    }
  }

  @Test
  void exponentsAreThoseOfTheGreatestPowerOfTwoBelow() {
    for (int n = 0; n <= PowersOfTen.MAX; n++) {
      assertThat(PowersOfTen.binaryExponent(n))
          .as("10^%d", n)
          .isEqualTo(BigInteger.TEN.pow(n).bitLength() - 1);
    }
  }
}
