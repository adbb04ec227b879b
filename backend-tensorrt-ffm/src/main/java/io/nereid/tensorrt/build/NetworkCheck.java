package io.nereid.tensorrt.build;

import io.nereid.error.InferenceException;
import io.nereid.tensorrt.build.profile.Profile;
import io.nereid.tensorrt.build.profile.ProfileParameter;
import io.nereid.tensorrt.builder.NetworkInput;
import java.util.List;
import java.util.Optional;

/**
 * Compares the profiles, which were resolved without TensorRT, with the inputs that TensorRT found
 * in the ONNX file: it alone knows which of them are shape tensors.
 *
 * @param model name of the model, for messages
 */
record NetworkCheck(String model, BuildSettings settings) {
  /**
   * Checks all inputs.
   *
   * @throws InferenceException INVALID_ARGUMENT if an input needs a range of another kind
   */
  void check(List<NetworkInput> inputs, List<Profile> profiles) {
    for (NetworkInput input : inputs) {
      if (profiles.isEmpty()) {
        check(input, Optional.empty(), 0);
      }
      for (int i = 0; i < profiles.size(); i++) {
        check(input, range(profiles.get(i), input), i);
      }
    }
  }

  private static Optional<Profile.Range> range(Profile profile, NetworkInput input) {
    return profile.inputs().stream()
        .filter(range -> range.input().equals(input.name()))
        .findFirst();
  }

  private void check(NetworkInput input, Optional<Profile.Range> range, int profile) {
    boolean hasValues = range.map(Profile.Range::ofValues).orElse(false);
    if (input.shapeTensor() && !hasValues) {
      throw invalid(
          ("input '%s' %s is a shape tensor, so its values need a range; state it in config.pbtxt as"
                  + " parameters { key: \"%s\" value: { string_value: \"%s:<min>/<opt>/<max>\" } }"
                  + " with numbers separated by x for <min>, <opt> and <max>")
              .formatted(input.name(), input.dims(), key(profile), input.name()));
    }
    if (!input.shapeTensor() && hasValues) {
      throw invalid(
          "parameter '%s' has a range for input '%s', which has fixed dimensions %s and is no shape tensor"
              .formatted(key(profile), input.name(), input.dims()));
    }
    if (input.dims().contains(-1L) && range.isEmpty()) {
      throw invalid(
          "TensorRT reads input '%s' as %s, but the ONNX file states fixed dimensions"
              .formatted(input.name(), input.dims()));
    }
  }

  private String key(int profile) {
    return settings.profiles().isEmpty()
        ? ProfileParameter.PROFILE
        : settings.profiles().get(profile).key();
  }

  private InferenceException invalid(String message) {
    return InferenceException.invalid("model '%s': %s".formatted(model, message));
  }
}
