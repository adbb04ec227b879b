package io.nereid.tensorrt.build.profile;

import java.util.List;
import java.util.regex.Pattern;

/**
 * The range of an input in a profile, as a parameter states it: {@code min/opt/max}, or one entry
 * for all three. An entry is dimensions, or the values of a shape tensor, separated by {@code x};
 * {@code *} stands for what the model or the configuration determines.
 */
public record StatedRange(List<String> min, List<String> opt, List<String> max) {
  /** Stands for a dimension that is not stated. */
  static final String UNSTATED = "*";

  private static final Pattern ENTRY =
      Pattern.compile("(?:\\*|-?\\d{1,18})(?:x(?:\\*|-?\\d{1,18}))*");

  public StatedRange {
    min = List.copyOf(min);
    opt = List.copyOf(opt);
    max = List.copyOf(max);
  }

  /**
   * Parses a range such as {@code *x16/*x64/*x128}.
   *
   * @throws IllegalArgumentException if it has another form; the message says what is wrong
   */
  static StatedRange parse(String text) {
    String[] entries = text.split("/", -1);
    if (entries.length != 1 && entries.length != 3) {
      throw new IllegalArgumentException(
          "'%s' is neither one shape nor <min>/<opt>/<max>".formatted(text));
    }
    List<String> min = entry(entries[0]);
    List<String> opt = entry(entries[entries.length / 2]);
    List<String> max = entry(entries[entries.length - 1]);
    if (min.size() != opt.size() || min.size() != max.size()) {
      throw new IllegalArgumentException("the shapes of '%s' differ in length".formatted(text));
    }
    return new StatedRange(min, opt, max);
  }

  private static List<String> entry(String text) {
    if (!ENTRY.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no shape such as 1x3x224x224 or *x64".formatted(text));
    }
    return List.of(text.split("x"));
  }

  int length() {
    return min.size();
  }

  /** The range as a parameter states it. */
  @Override
  public String toString() {
    return String.join("x", min) + "/" + String.join("x", opt) + "/" + String.join("x", max);
  }
}
