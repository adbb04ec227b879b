package io.nereid.tensorrt.build.profile;

import io.nereid.error.InferenceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A parameter with the ranges of inputs in one profile.
 *
 * @param key such as {@code tensorrt_profile_1}
 */
public record ProfileParameter(String key, Map<String, StatedRange> ranges) {
  public static final String PROFILE = "tensorrt_profile";

  /** The single profile of a model without such a parameter. */
  static final ProfileParameter NONE = new ProfileParameter(PROFILE, Map.of());

  public ProfileParameter {
    ranges = Map.copyOf(ranges);
  }

  /**
   * Those of a model, in the order of their numbers.
   *
   * @throws InferenceException INVALID_ARGUMENT; the message names the model and the parameter
   */
  public static List<ProfileParameter> all(String model, Map<String, String> parameters) {
    return new Reader(model, parameters).all();
  }

  private record Reader(String model, Map<String, String> parameters) {
    List<ProfileParameter> all() {
      Map<Integer, ProfileParameter> byIndex = new TreeMap<>();
      for (var parameter : parameters.entrySet()) {
        String key = parameter.getKey();
        if (key.equals(PROFILE)) {
          byIndex.put(-1, profile(key, parameter.getValue()));
        } else if (key.matches(PROFILE + "_\\d{1,4}")) {
          int index = Integer.parseInt(key.substring(PROFILE.length() + 1));
          byIndex.put(index, profile(key, parameter.getValue()));
        }
      }
      if (byIndex.containsKey(-1)) {
        if (byIndex.size() > 1) {
          throw invalid(
              "parameter '%s' is for a single profile, not together with '%s_<number>'"
                  .formatted(PROFILE, PROFILE));
        }
        return List.copyOf(byIndex.values());
      }
      for (int i = 0; i < byIndex.size(); i++) {
        if (!byIndex.containsKey(i)) {
          throw invalid(
              "there are %d parameters '%s_<number>' but no '%s_%d'"
                  .formatted(byIndex.size(), PROFILE, PROFILE, i));
        }
      }
      return List.copyOf(byIndex.values());
    }

    private ProfileParameter profile(String key, String text) {
      Map<String, StatedRange> ranges = new HashMap<>();
      for (String entry : text.strip().split("\\s*,\\s*", -1)) {
        int colon = entry.lastIndexOf(':'); // names may contain some
        if (colon <= 0) {
          throw invalid(
              "parameter '%s' must be <input>:<min>/<opt>/<max>, separated by commas; got '%s'"
                  .formatted(key, entry));
        }
        String input = entry.substring(0, colon);
        try {
          if (ranges.put(input, StatedRange.parse(entry.substring(colon + 1))) != null) {
            throw invalid("parameter '%s' has input '%s' twice".formatted(key, input));
          }
        } catch (IllegalArgumentException malformed) {
          throw invalid(
              "parameter '%s', input '%s': %s".formatted(key, input, malformed.getMessage()));
        }
      }
      return new ProfileParameter(key, ranges);
    }

    private InferenceException invalid(String message) {
      return InferenceException.invalid("model '%s': %s".formatted(model, message));
    }
  }
}
