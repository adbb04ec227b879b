package io.nereid.server.grpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadCallsTest {
  private static final long MILLI = 1_000_000;

  @ParameterizedTest
  @CsvSource({
    "0, 99999999, 100",
    "0, 100000000, 100",
    "0, 101000000, 101",
    "30, 0, 30000",
    "0, 0, 10000",
    "-1, 0, 10000",
    "0, -1, 10000",
    "0, -2147483648, 10000",
    "1, -2147483648, 10000",
    "0, 2147000000, 2147",
    "-9223372036854775808, 2147483647, 10000",
  })
  void anIntervalIsThatOfTheClientWithinLimits(long seconds, int nanos, long millis) {
    var wanted = Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();

    assertThat(LoadCalls.intervalNanos(wanted)).isEqualTo(millis * MILLI);
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807, 2147483647", "2305843010, 0"})
  void anEndlessIntervalDoesNotOverflow(long seconds, int nanos) {
    var wanted = Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();

    assertThat(LoadCalls.intervalNanos(wanted)).isGreaterThan(Long.MAX_VALUE / 5);
  }
}
