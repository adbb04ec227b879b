package io.nereid.tensorrt.signature;

import static io.nereid.tensorrt.signature.Plans.bare;
import static io.nereid.tensorrt.signature.Plans.plan;
import static io.nereid.tensorrt.signature.Plans.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProfilesTest {
  private final PlanSignature plan =
      plan()
          .input("IN", range(1, 1, 4, 4), range(2, 8, 16, 4), range(1, 3, 6, 4))
          .output("OUT", -1, 4)
          .build();

  private static int choice(Profiles profiles, long... dims) {
    profiles.give(0, dims, dims.length);
    return profiles.numbers().get(profiles.choose());
  }

  @Test
  void withoutNamesThereIsTheFirstProfile() {
    assertThat(Profiles.of(plan, bare(), List.of()).numbers()).containsExactly(0);
  }

  @Test
  void namesAreNumbersAndCountOnce() {
    assertThat(Profiles.of(plan, bare(), List.of("2", "0", "2")).numbers()).containsExactly(0, 2);
  }

  @Test
  void rejectsAProfileThatTheEngineHasNot() {
    assertThatThrownBy(() -> Profiles.of(plan, bare(), List.of("3")))
        .hasMessage(
            "model 'm': can not set the specified optimization profile 3. Expected optimization"
                + " profile index range 0-2");
    assertThatThrownBy(() -> Profiles.of(plan, bare(), List.of("fast")))
        .hasMessage("model 'm': unable to parse profile 'fast': expected the number of a profile");
  }

  @Test
  void choosesTheProfileThatIsOptimisedForTheClosestShapes() {
    var profiles = Profiles.of(plan, bare(), List.of("0", "1", "2"));

    assertThat(choice(profiles, 1, 4)).isEqualTo(0);
    assertThat(choice(profiles, 3, 4)).isEqualTo(2);
    assertThat(choice(profiles, 6, 4)).isEqualTo(1);
    assertThat(choice(profiles, 16, 4)).isEqualTo(1);
  }

  @Test
  void choosesTheFirstOfEquallyCloseProfiles() {
    var profiles = Profiles.of(plan, bare(), List.of("0", "2"));

    assertThat(choice(profiles, 2, 4)).isEqualTo(0);
  }

  @Test
  void rejectsShapesOutsideAllProfilesInTermsOfTheFirst() {
    var profiles = Profiles.of(plan, bare(), List.of("0", "2"));

    assertThatThrownBy(() -> choice(profiles, 7, 4))
        .isInstanceOfSatisfying(
            InferenceException.class,
            failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL))
        .hasMessage(
            "request specifies invalid shape for input 'IN' for m. Error details: model expected"
                + " the shape of dimension 0 to be between 1 and 4 but received 7");
  }

  @Test
  void rejectsValuesOfAShapeTensorOutsideTheRange() {
    var values = new InputRange(Shape.of(1, 2), Shape.of(4, 8), Shape.of(8, 16));
    var shape = plan().shapeInput("SHAPE", values).output("OUT", -1, -1).build();
    var profiles = Profiles.of(shape, bare(), List.of());

    assertThat(choice(profiles, 8, 16)).isEqualTo(0);
    assertThatThrownBy(() -> choice(profiles, 8, 17))
        .hasMessage(
            "request specifies invalid shape values for input 'SHAPE' for m. Error details: The"
                + " shape value at index 1 is expected to be in range from 2 to 16, Got: 17");
  }
}
