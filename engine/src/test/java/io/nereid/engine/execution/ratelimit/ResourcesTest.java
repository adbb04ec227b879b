package io.nereid.engine.execution.ratelimit;

import static io.nereid.engine.execution.ratelimit.Samples.global;
import static io.nereid.engine.execution.ratelimit.Samples.limit;
import static io.nereid.engine.execution.ratelimit.Samples.local;
import static io.nereid.engine.execution.ratelimit.Samples.on;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.execution.ratelimit.Resources.Demand;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ResourcesTest {
  private final Resources unlimited = new Resources(List.of());

  private static Resources given(ResourceLimit... limits) {
    return new Resources(List.of(limits));
  }

  /** How often a demand can be acquired at once. */
  private static int times(Resources resources, Demand demand) {
    int times = 0;
    while (resources.acquire(demand)) {
      times++;
    }
    for (int i = 0; i < times; i++) {
      resources.release(demand);
    }
    return times;
  }

  private static void assertRejected(ThrowingCallable add, String text) {
    Failures.assertRejected(StatusCode.INVALID_ARGUMENT, text, add);
  }

  private static String tooFew(String name, long limit, long asked) {
    return ("Resource count for \"%s\" is limited to %d which will prevent scheduling of one or"
            + " more model instances, the minimum required count is %d")
        .formatted(name, limit, asked);
  }

  private static String inBothPlaces(String name) {
    return ("Resource \"%s\" is present as both global and device-specific resource in the model"
            + " configuration.")
        .formatted(name);
  }

  @Test
  void thereIsAsMuchAsTheLargestDemand() {
    Demand two = unlimited.add(on(0, local("R", 2)));
    assertThat(times(unlimited, two)).isEqualTo(1);

    Demand five = unlimited.add(on(0, local("R", 5)));
    assertThat(times(unlimited, two)).isEqualTo(2);
    assertThat(times(unlimited, five)).isEqualTo(1);

    unlimited.remove(five);
    assertThat(times(unlimited, two)).isEqualTo(1);
  }

  @Test
  void anAmountThatShrinksIsAcquiredOnceEnoughIsReleased() {
    Demand two = unlimited.add(on(0, local("R", 2)));
    Demand four = unlimited.add(on(0, local("R", 4)));
    assertThat(unlimited.acquire(two)).isTrue();
    assertThat(unlimited.acquire(two)).isTrue();

    unlimited.remove(four);

    unlimited.release(two);
    assertThat(unlimited.acquire(two)).isFalse();
    unlimited.release(two);
    assertThat(unlimited.acquire(two)).isTrue();
  }

  @Test
  void eachDeviceHasItsOwnAmount() {
    Demand zero = unlimited.add(on(0, local("R", 1)));
    Demand one = unlimited.add(on(1, local("R", 3)));

    assertThat(unlimited.acquire(zero)).isTrue();
    assertThat(unlimited.acquire(one)).isTrue();
    assertThat(unlimited.acquire(zero)).isFalse();
    assertThat(unlimited.acquire(one)).isFalse();
  }

  @Test
  void devicesShareAGlobalResource() {
    Demand zero = unlimited.add(on(0, global("R", 1)));
    Demand one = unlimited.add(on(1, global("R", 2)));

    assertThat(unlimited.acquire(one)).isTrue();
    assertThat(unlimited.acquire(zero)).isFalse();
  }

  @Test
  void acquiresAllResourcesOfADemandOrNone() {
    Demand both = unlimited.add(on(0, local("R", 1), local("S", 1)));
    Demand first = unlimited.add(on(0, local("R", 1)));
    Demand second = unlimited.add(on(0, local("S", 1)));
    assertThat(unlimited.acquire(second)).isTrue();

    assertThat(unlimited.acquire(both)).isFalse();

    assertThat(unlimited.acquire(first)).as("the failed attempt holds nothing").isTrue();
  }

  @Test
  void anEmptyDemandIsAlwaysAcquired() {
    Demand all = unlimited.add(on(0, local("R", 1)));
    assertThat(unlimited.acquire(all)).isTrue();

    assertThat(unlimited.acquire(unlimited.add(on(0)))).isTrue();
  }

  @Test
  void theLastCountOfAResourceListedTwiceHolds() {
    Demand demand = unlimited.add(on(0, local("R", 4), local("R", 1)));
    unlimited.add(on(0, local("R", 3)));

    assertThat(times(unlimited, demand)).isEqualTo(3);
  }

  @Test
  void limitsReplaceTheLargestDemand() {
    var resources = given(limit("R", 6));
    Demand two = resources.add(on(0, local("R", 2)));
    Demand three = resources.add(on(1, local("R", 3)));

    assertThat(times(resources, two)).isEqualTo(3);
    assertThat(times(resources, three)).isEqualTo(2);
    resources.remove(three);
    assertThat(times(resources, two)).isEqualTo(3);
  }

  @Test
  void aDeviceHasTheLargerOfItsOwnAndTheCommonLimit() {
    var resources = given(limit("R", 2), limit("R", 4, 1), limit("R", 1, 2));

    assertThat(times(resources, resources.add(on(0, local("R", 1))))).isEqualTo(2);
    assertThat(times(resources, resources.add(on(1, local("R", 1))))).isEqualTo(4);
    assertThat(times(resources, resources.add(on(2, local("R", 1))))).isEqualTo(2);
  }

  @Test
  void aGlobalResourceHasTheLargestLimitOfAnyDevice() {
    var resources = given(limit("R", 2), limit("R", 4, 7));

    assertThat(times(resources, resources.add(on(0, global("R", 1))))).isEqualTo(4);
  }

  @Test
  void theLowerOfTwoLimitsForADeviceHolds() {
    var resources = given(limit("R", 5), limit("R", 2), limit("R", 3));

    assertThat(times(resources, resources.add(on(0, local("R", 1))))).isEqualTo(2);
  }

  @Test
  void rejectsADemandAboveTheLimit() {
    var resources = given(limit("R1", 3));

    assertRejected(() -> resources.add(on(0, local("R1", 4))), tooFew("R1", 3, 4));
  }

  @Test
  void withLimitsThereIsNothingOfAnUnlistedResource() {
    var resources = given(limit("R", 3), limit("T", 3, 1));

    assertRejected(() -> resources.add(on(0, local("r", 1))), tooFew("r", 0, 1));
    assertRejected(() -> resources.add(on(0, global("S", 1))), tooFew("S", 0, 1));
    assertRejected(() -> resources.add(on(0, local("T", 1))), tooFew("T", 0, 1));
  }

  @Test
  void namesGlobalResourcesFirstThenByName() {
    var resources = given(limit("Z", 1));

    assertRejected(
        () -> resources.add(on(0, local("C", 1), local("B", 2), global("X", 3))),
        tooFew("X", 0, 3));
    assertRejected(() -> resources.add(on(0, local("C", 1), local("B", 2))), tooFew("B", 0, 2));
  }

  @Test
  void rejectsAResourceThatIsBothGlobalAndOfADevice() {
    unlimited.add(on(0, global("R", 1), local("S", 1)));

    assertRejected(() -> unlimited.add(on(3, local("R", 1))), inBothPlaces("R"));
    assertRejected(() -> unlimited.add(on(3, global("S", 1))), inBothPlaces("S"));
    assertRejected(() -> unlimited.add(on(3, global("T", 1), local("T", 1))), inBothPlaces("T"));
  }

  @Test
  void aRejectedDemandChangesNothing() {
    Demand one = unlimited.add(on(0, global("R", 1), local("S", 1)));
    assertRejected(() -> unlimited.add(on(0, local("R", 1), local("S", 8))), inBothPlaces("R"));

    assertThat(times(unlimited, one)).isEqualTo(1);
    unlimited.remove(one);
    assertThat(times(unlimited, unlimited.add(on(0, local("R", 1))))).isEqualTo(1);
  }
}
