package io.nereid.server.http.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.http.limits.Activity.Kind;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConnectionWatchTest {
  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(
          10,
          10,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(20),
          Duration.ofSeconds(300),
          Optional.empty());

  private final Activity activity = new Activity();
  private final ConnectionWatch watch = new ConnectionWatch(activity);

  /** Checks at a time in seconds. */
  private void assertInTime(double seconds) {
    assertThat(watch.check(LIMITS, nanos(seconds))).as("after %s s", seconds).isEmpty();
  }

  private void assertLate(double seconds, HttpRefusal refusal) {
    assertThat(watch.check(LIMITS, nanos(seconds))).as("after %s s", seconds).contains(refusal);
  }

  private static long nanos(double seconds) {
    return Long.MAX_VALUE - Duration.ofSeconds(60).toNanos() + (long) (seconds * 1e9); // overflows
  }

  @Test
  void aNewConnectionSendsItsFirstByteWithinTheHeaderTimeout() {
    assertInTime(0);
    assertInTime(10);
    assertLate(10.1, HttpRefusal.SILENT);
  }

  @Test
  void aHeadHasTheHeaderTimeoutHoweverManyBytesCome() {
    assertInTime(0);
    activity.begin(Kind.HEAD);
    assertInTime(5);
    activity.moved(1000);
    assertInTime(15);
    activity.moved(1000);
    assertLate(15.1, HttpRefusal.SLOW_HEAD);
  }

  @Test
  void aBodyThatMakesNoProgressIsEndedAfterTheReadTimeout() {
    activity.begin(Kind.BODY);
    assertInTime(0);
    activity.moved(1 << 30);
    assertInTime(10);
    assertInTime(40);
    assertLate(40.1, HttpRefusal.SLOW_BODY);
  }

  @Test
  void aBodyHasASecondMoreForEach64KiB() {
    activity.begin(Kind.BODY);
    assertInTime(0);
    for (int second = 1; second <= 60; second++) {
      activity.moved(32 << 10);
      assertInTime(second);
    }
    activity.moved(1);
    assertLate(60.1, HttpRefusal.SLOW_BODY); // 30 s, and 30 s for 1,920 KiB
  }

  @Test
  void bytesOfEarlierRequestsDoNotCount() {
    activity.begin(Kind.BODY);
    assertInTime(0);
    activity.moved(1 << 30);
    assertInTime(1);
    activity.begin(Kind.BODY);
    assertInTime(2);
    for (int second = 3; second <= 32; second++) {
      activity.moved(1);
      assertInTime(second);
    }
    activity.moved(1);
    assertLate(32.1, HttpRefusal.SLOW_BODY);
  }

  @Test
  void aResponseIsReadAsFastAsABodyIsSent() {
    activity.begin(Kind.WRITING);
    assertInTime(0);
    activity.moved(100);
    assertInTime(20);
    assertLate(20.1, HttpRefusal.SLOW_READER);
  }

  @Test
  void anExecutionHasNoDeadlineHere() {
    activity.begin(Kind.RESPONSE);
    assertInTime(0);
    assertInTime(100_000);
  }

  @Test
  void anIdleConnectionHasTheIdleTimeoutFromItsLastResponse() {
    activity.begin(Kind.IDLE);
    assertInTime(0);
    activity.begin(Kind.HEAD);
    activity.begin(Kind.IDLE); // a request between two checks
    assertInTime(299);
    assertInTime(599);
    assertLate(599.1, HttpRefusal.IDLE);
  }

  @Test
  void onlyAConnectionThatStillWaitsIsIdle() {
    activity.begin(Kind.IDLE);
    assertInTime(7);
    Idleness seen = watch.idleness(nanos(9)).orElseThrow();
    assertThat(seen.isUnfinished()).isFalse();
    assertThat(seen.nanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
    assertThat(watch.isStill(seen)).isTrue();

    activity.begin(Kind.HEAD);
    assertThat(watch.idleness(nanos(9))).isEmpty();
    activity.begin(Kind.IDLE);
    assertThat(watch.isStill(seen)).as("idle again, after a request").isFalse();
  }

  @Test
  void aConnectionThatHasSentNothingOrAPartOfAHeadIsUnfinished() {
    assertInTime(0);
    assertThat(watch.idleness(nanos(1)).map(Idleness::isUnfinished)).contains(true);

    activity.begin(Kind.HEAD);
    assertInTime(1);
    assertThat(watch.idleness(nanos(1)).map(Idleness::isUnfinished)).contains(true);
    activity.begin(Kind.BODY);
    assertInTime(2);
    assertThat(watch.idleness(nanos(2))).isEmpty();
  }

  @Test
  void aConnectionThatWasNotCheckedIsNotIdle() {
    assertThat(watch.idleness(nanos(0))).isEmpty();
  }

  @Test
  void aConnectionThatHasWaitedForLessThanASecondIsNotClosedForANewOne() {
    assertThat(new Idleness(Kind.NEW, nanos(1) - nanos(0) - 1, 0).mayMakeRoom()).isFalse();
    assertThat(new Idleness(Kind.NEW, nanos(1) - nanos(0), 0).mayMakeRoom()).isTrue();
  }
}
