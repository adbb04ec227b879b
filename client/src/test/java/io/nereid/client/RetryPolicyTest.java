package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {
  private static final long PLENTY = Duration.ofHours(1).toNanos();
  private final RetryPolicy retries =
      new RetryPolicy(4, Duration.ofNanos(1000), Duration.ofNanos(3000));

  private static NereidException failure(
      ErrorCode code, boolean mayHaveRun, @org.jspecify.annotations.Nullable Duration retryAfter) {
    return new NereidException(code, "infer", "no", mayHaveRun, retryAfter, null);
  }

  @ParameterizedTest
  @EnumSource
  void onlyWhatMayPassIsRepeated(ErrorCode code) {
    boolean passes = code == ErrorCode.UNAVAILABLE || code == ErrorCode.RESOURCE_EXHAUSTED;

    long nanos = retries.nanosBefore(failure(code, false, null), 1, false, PLENTY);

    assertThat(nanos >= 0).isEqualTo(passes);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatMayHaveRunIsRepeatedOnlyIfThatIsAllowed(boolean mayRunTwice) {
    NereidException failure = failure(ErrorCode.UNAVAILABLE, true, null);

    assertThat(retries.nanosBefore(failure, 1, mayRunTwice, PLENTY) >= 0).isEqualTo(mayRunTwice);
  }

  @Test
  void theWaitDoublesUpToItsLimit() {
    NereidException failure = failure(ErrorCode.UNAVAILABLE, false, null);

    for (int i = 0; i < 100; i++) {
      assertThat(retries.nanosBefore(failure, 1, false, PLENTY)).isBetween(500L, 1000L);
      assertThat(retries.nanosBefore(failure, 2, false, PLENTY)).isBetween(1000L, 2000L);
      assertThat(retries.nanosBefore(failure, 3, false, PLENTY)).isBetween(1500L, 3000L);
    }
    assertThat(retries.nanosBefore(failure, 4, false, PLENTY)).isEqualTo(-1);
  }

  @Test
  void theServersTimeCountsAsLongAsTheDeadlineAllows() {
    NereidException failure = failure(ErrorCode.RESOURCE_EXHAUSTED, false, Duration.ofNanos(5000));

    assertThat(retries.nanosBefore(failure, 1, false, 5001)).isEqualTo(5000);
    assertThat(retries.nanosBefore(failure, 1, false, 5000)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(longs = {9_223_372_036L, 9_223_372_037L, 99_999_999_999L, Long.MAX_VALUE})
  void aTimeBeyondEveryDeadlineIsNotWaitedFor(long seconds) {
    Duration time = Duration.ofSeconds(seconds);
    NereidException failure = failure(ErrorCode.UNAVAILABLE, false, null);

    assertThat(retries.nanosBefore(failure(ErrorCode.UNAVAILABLE, false, time), 1, true, PLENTY))
        .isEqualTo(-1);
    assertThat(new RetryPolicy(2, time, time).nanosBefore(failure, 1, true, PLENTY)).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, Integer.MAX_VALUE - 1})
  void untilTheDeadlineThereIsAlwaysAnother(int attempts) {
    NereidException failure = failure(ErrorCode.UNAVAILABLE, false, null);
    RetryPolicy policy = RetryPolicy.UNTIL_DEADLINE;

    assertThat(policy.nanosBefore(failure, attempts, false, PLENTY)).isPositive();
    assertThat(policy.nanosBefore(failure, attempts, false, 1)).isEqualTo(-1);
  }

  @Test
  void noneIsNone() {
    NereidException failure = failure(ErrorCode.UNAVAILABLE, false, Duration.ZERO);

    assertThat(RetryPolicy.NONE.nanosBefore(failure, 1, true, PLENTY)).isEqualTo(-1);
  }
}
