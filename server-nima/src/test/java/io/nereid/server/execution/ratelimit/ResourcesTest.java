package io.nereid.server.execution.ratelimit;

import static io.nereid.server.execution.ratelimit.Limited.global;
import static io.nereid.server.execution.ratelimit.Limited.limit;
import static io.nereid.server.execution.ratelimit.Limited.local;
import static io.nereid.server.execution.ratelimit.Limited.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.execution.ratelimit.Resources.Demand;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourcesTest {
  private final Resources unlimited = new Resources(List.of());

  private static Resources given(ResourceLimit... limits) {
    return new Resources(List.of(limits));
  }

  /** How often the same can be taken at once. */
  private static int times(Resources resources, Demand demand) {
    int times = 0;
    while (resources.take(demand)) {
      times++;
    }
    for (int i = 0; i < times; i++) {
      resources.giveBack(demand);
    }
    return times;
  }

  private static void assertRefused(Runnable add, String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(add::run)
        .withMessage(text)
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
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
  void thereIsAsMuchAsTheInstanceAsksForThatAsksForMost() {
    Demand two = unlimited.add(on(0, local("R", 2)));
    assertThat(times(unlimited, two)).isEqualTo(1);

    Demand five = unlimited.add(on(0, local("R", 5)));
    assertThat(times(unlimited, two)).isEqualTo(2);
    assertThat(times(unlimited, five)).isEqualTo(1);

    unlimited.remove(five);
    assertThat(times(unlimited, two)).isEqualTo(1);
  }

  @Test
  void whatHasBecomeLessIsTakenAgainOnceEnoughIsBack() {
    Demand two = unlimited.add(on(0, local("R", 2)));
    Demand four = unlimited.add(on(0, local("R", 4)));
    assertThat(unlimited.take(two)).isTrue();
    assertThat(unlimited.take(two)).isTrue();

    unlimited.remove(four);

    unlimited.giveBack(two);
    assertThat(unlimited.take(two)).isFalse();
    unlimited.giveBack(two);
    assertThat(unlimited.take(two)).isTrue();
  }

  @Test
  void eachDeviceHasItsOwn() {
    Demand zero = unlimited.add(on(0, local("R", 1)));
    Demand one = unlimited.add(on(1, local("R", 3)));

    assertThat(unlimited.take(zero)).isTrue();
    assertThat(unlimited.take(one)).isTrue();
    assertThat(unlimited.take(zero)).isFalse();
    assertThat(unlimited.take(one)).isFalse();
  }

  @Test
  void whatIsGlobalIsThereOnceForAllDevices() {
    Demand zero = unlimited.add(on(0, global("R", 1)));
    Demand one = unlimited.add(on(1, global("R", 2)));

    assertThat(unlimited.take(one)).isTrue();
    assertThat(unlimited.take(zero)).isFalse();
  }

  @Test
  void anInstanceGetsAllThatItAsksForOrNothing() {
    Demand both = unlimited.add(on(0, local("R", 1), local("S", 1)));
    Demand first = unlimited.add(on(0, local("R", 1)));
    Demand second = unlimited.add(on(0, local("S", 1)));
    assertThat(unlimited.take(second)).isTrue();

    assertThat(unlimited.take(both)).isFalse();

    assertThat(unlimited.take(first)).as("nothing is held in vain").isTrue();
  }

  @Test
  void whoAsksForNothingAlwaysGetsIt() {
    Demand all = unlimited.add(on(0, local("R", 1)));
    assertThat(unlimited.take(all)).isTrue();

    assertThat(unlimited.take(unlimited.add(on(0)))).isTrue();
  }

  @Test
  void ofAResourceThatAnInstanceListsTwiceTheLastCountHolds() {
    Demand demand = unlimited.add(on(0, local("R", 4), local("R", 1)));
    unlimited.add(on(0, local("R", 3)));

    assertThat(times(unlimited, demand)).isEqualTo(3);
  }

  @Test
  void limitsSayWhatThereIsInsteadOfTheInstances() {
    var resources = given(limit("R", 6));
    Demand two = resources.add(on(0, local("R", 2)));
    Demand three = resources.add(on(1, local("R", 3)));

    assertThat(times(resources, two)).isEqualTo(3);
    assertThat(times(resources, three)).isEqualTo(2);
    resources.remove(three);
    assertThat(times(resources, two)).isEqualTo(3);
  }

  @Test
  void onADeviceThereIsTheMoreOfItsOwnLimitAndTheOneOfAll() {
    var resources = given(limit("R", 2), limit("R", 4, 1), limit("R", 1, 2));

    assertThat(times(resources, resources.add(on(0, local("R", 1))))).isEqualTo(2);
    assertThat(times(resources, resources.add(on(1, local("R", 1))))).isEqualTo(4);
    assertThat(times(resources, resources.add(on(2, local("R", 1))))).isEqualTo(2);
  }

  @Test
  void ofWhatIsGlobalThereIsTheMostThatIsListedForWhateverDevice() {
    var resources = given(limit("R", 2), limit("R", 4, 7));

    assertThat(times(resources, resources.add(on(0, global("R", 1))))).isEqualTo(4);
  }

  @Test
  void ofTwoLimitsForTheSamePlaceTheLowerOneCounts() {
    var resources = given(limit("R", 5), limit("R", 2), limit("R", 3));

    assertThat(times(resources, resources.add(on(0, local("R", 1))))).isEqualTo(2);
  }

  @Test
  void whoAsksForMoreThanTheLimitIsRefused() {
    var resources = given(limit("R1", 3));

    assertRefused(() -> resources.add(on(0, local("R1", 4))), tooFew("R1", 3, 4));
  }

  @Test
  void withAnyLimitThereIsNothingOfWhatIsNotListed() {
    var resources = given(limit("R", 3), limit("T", 3, 1));

    assertRefused(() -> resources.add(on(0, local("r", 1))), tooFew("r", 0, 1));
    assertRefused(() -> resources.add(on(0, global("S", 1))), tooFew("S", 0, 1));
    assertRefused(() -> resources.add(on(0, local("T", 1))), tooFew("T", 0, 1));
  }

  @Test
  void ofSeveralThatAreTooFewGlobalOnesAreNamedFirstThenByName() {
    var resources = given(limit("Z", 1));

    assertRefused(
        () -> resources.add(on(0, local("C", 1), local("B", 2), global("X", 3))),
        tooFew("X", 0, 3));
    assertRefused(() -> resources.add(on(0, local("C", 1), local("B", 2))), tooFew("B", 0, 2));
  }

  @Test
  void aResourceIsGlobalForAllOrForNobody() {
    unlimited.add(on(0, global("R", 1), local("S", 1)));

    assertRefused(() -> unlimited.add(on(3, local("R", 1))), inBothPlaces("R"));
    assertRefused(() -> unlimited.add(on(3, global("S", 1))), inBothPlaces("S"));
    assertRefused(() -> unlimited.add(on(3, global("T", 1), local("T", 1))), inBothPlaces("T"));
  }

  @Test
  void whoIsRefusedLeavesNothingBehind() {
    Demand one = unlimited.add(on(0, global("R", 1), local("S", 1)));
    assertRefused(() -> unlimited.add(on(0, local("R", 1), local("S", 8))), inBothPlaces("R"));

    assertThat(times(unlimited, one)).isEqualTo(1);
    unlimited.remove(one);
    assertThat(times(unlimited, unlimited.add(on(0, local("R", 1))))).isEqualTo(1);
  }
}
