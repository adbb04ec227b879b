package io.nereid.engine.telemetry.trace;

import io.nereid.error.InferenceException;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings that were specified for the server or for a model; null is one that was not, for
 * which that of the fallback is used.
 */
public record TraceOverrides(
    @Nullable Set<TraceLevel> levels,
    @Nullable Long rate,
    @Nullable Integer count,
    @Nullable Long logFrequency) {
  public static final TraceOverrides NONE = new TraceOverrides(null, null, null, null);

  private static final long UINT32_MAX = 0xFFFF_FFFFL;
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]+");

  public TraceOverrides withLevels(@Nullable Set<TraceLevel> newLevels) {
    return new TraceOverrides(newLevels, rate, count, logFrequency);
  }

  public TraceOverrides withRate(@Nullable Long newRate) {
    return new TraceOverrides(levels, newRate, count, logFrequency);
  }

  public TraceOverrides withCount(@Nullable Integer newCount) {
    return new TraceOverrides(levels, rate, newCount, logFrequency);
  }

  public TraceOverrides withLogFrequency(@Nullable Long newFrequency) {
    return new TraceOverrides(levels, rate, count, newFrequency);
  }

  boolean isComplete() {
    return levels != null && rate != null && count != null && logFrequency != null;
  }

  /** These settings, and those of {@code fallback} where none was specified. */
  TraceSettings over(TraceSettings fallback) {
    return new TraceSettings(
        levels == null ? fallback.levels() : levels,
        rate == null ? fallback.rate() : rate,
        count == null ? fallback.count() : count,
        logFrequency == null ? fallback.logFrequency() : logFrequency,
        fallback.destination());
  }

  /**
   * The value of a setting that is an unsigned number, with Triton's texts.
   *
   * @param name of the setting
   * @throws InferenceException INVALID_ARGUMENT unless it is from 0 to 2^32 - 1
   */
  public static long parseUnsigned(String name, String text) {
    return parse(name, text, 0, UINT32_MAX);
  }

  /**
   * The value of {@code trace_count}, with Triton's texts.
   *
   * @param got what stands before a value that is refused
   * @throws InferenceException INVALID_ARGUMENT unless it is from -1 to 2^31 - 1
   */
  public static int parseCount(String text, String got) {
    String name = "trace_count";
    long count = parse(name, text, Integer.MIN_VALUE, Integer.MAX_VALUE);
    if (count < -1) {
      throw InferenceException.invalid(
          "Unable to parse '%s'. Expecting value >= -1, %s%s".formatted(name, got, text));
    }
    return (int) count;
  }

  private static long parse(String name, String text, long min, long max) {
    if (!NUMBER.matcher(text).matches()) {
      throw InferenceException.invalid("Unable to parse '%s', got: %s".formatted(name, text));
    }
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    throw InferenceException.invalid(
        "Unable to parse '%s', value is out of range [ %d, %d ], got: %s"
            .formatted(name, Math.max(min, -1), max, text));
  }

  /** The refusal of a request that names a file. */
  public static InferenceException fixedFile() {
    return InferenceException.unsupported(
        "trace file location can not be updated through network protocol");
  }

  /**
   * The levels of those names; other names are ignored.
   *
   * @return null if there is no known name, which changes nothing
   * @throws InferenceException INVALID_ARGUMENT if {@code OFF} stands with others
   */
  public static @Nullable Set<TraceLevel> parseLevels(Iterable<String> names) {
    var levels = EnumSet.noneOf(TraceLevel.class);
    boolean off = false;
    int given = 0;
    for (String name : names) {
      given++;
      switch (name) {
        case "OFF" -> off = true;
        case "TIMESTAMPS" -> levels.add(TraceLevel.TIMESTAMPS);
        case "TENSORS" -> levels.add(TraceLevel.TENSORS);
        default -> {} // as in Triton
      }
    }
    if (off && given > 1) {
      throw InferenceException.invalid("Expect only one trace level 'OFF' is specified");
    }
    return off || !levels.isEmpty() ? levels : null;
  }
}
