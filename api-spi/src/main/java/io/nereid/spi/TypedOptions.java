package io.nereid.spi;

import io.nereid.error.InferenceException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operator's options, read by key and type:
 *
 * <pre>{@code
 * int threads = options.integer("threads", 4, 1, 64);
 * long cache = options.byteSize("cache-size", 64 << 20); // "256MiB"
 * Precision precision = options.choice("precision", Precision.FP32);
 * }</pre>
 *
 * <p>An option that is not set has the value that the caller states. One whose value is not of the
 * type is an {@link InferenceException}, INVALID_ARGUMENT, that names whose option it is, the key,
 * the value and what is expected. Thread-safe.
 */
public final class TypedOptions {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([KMGT]i?)?B?");
  private static final String UNITS = "KMGT";
  private static final Pattern DURATION = Pattern.compile("(\\d{1,18})(ns|us|ms|s|m|h)");

  private final String owner;
  private final Map<String, String> values;
  private final Set<String> read = ConcurrentHashMap.newKeySet();

  private TypedOptions(String owner, Map<String, String> values) {
    this.owner = owner;
    this.values = Map.copyOf(values);
  }

  /**
   * Options with these values.
   *
   * @param owner whose they are, for messages, such as {@code backend 'trees'}
   * @param values by key
   */
  public static TypedOptions of(String owner, Map<String, String> values) {
    return new TypedOptions(owner, values);
  }

  /** The value as it was written; empty if the option is not set. */
  public Optional<String> text(String key) {
    read.add(key);
    return Optional.ofNullable(values.get(key));
  }

  /** The value as it was written. */
  public String text(String key, String otherwise) {
    return text(key).orElse(otherwise);
  }

  /** An {@code int}, in decimal digits. */
  public int integer(String key, int otherwise) {
    return integer(key, otherwise, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /**
   * An {@code int} of a range, in decimal digits.
   *
   * @param least the smallest that is allowed
   * @param most the largest that is allowed
   */
  public int integer(String key, int otherwise, int least, int most) {
    return (int)
        number(
            key,
            otherwise,
            least,
            most,
            least == Integer.MIN_VALUE && most == Integer.MAX_VALUE
                ? "an integer"
                : "an integer from %d to %d".formatted(least, most));
  }

  /** A {@code long}, in decimal digits. */
  public long integer(String key, long otherwise) {
    return number(key, otherwise, Long.MIN_VALUE, Long.MAX_VALUE, "an integer");
  }

  private long number(String key, long otherwise, long least, long most, String expected) {
    Optional<String> value = text(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(value.get());
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // as one out of range
    }
    throw invalid(key, value.get(), expected);
  }

  /**
   * {@code true}, {@code on} or {@code 1}; {@code false}, {@code off} or {@code 0}; in any case.
   */
  public boolean flag(String key, boolean otherwise) {
    Optional<String> value = text(key);
    return value.isEmpty()
        ? otherwise
        : switch (value.get().toLowerCase(Locale.ROOT)) {
          case "true", "on", "1" -> true;
          case "false", "off", "0" -> false;
          default -> throw invalid(key, value.get(), "true or false");
        };
  }

  /**
   * A number of bytes: {@code 4096}, {@code 4096B}, or in powers of 1024 {@code 64K}, {@code 64Ki},
   * {@code 64KiB}, and so with M, G and T.
   */
  public long byteSize(String key, long otherwise) {
    Optional<String> value = text(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    Matcher parts = SIZE.matcher(value.get());
    if (parts.matches()) {
      String unit = parts.group(2);
      int shift = unit == null ? 0 : 10 * (1 + UNITS.indexOf(unit.charAt(0)));
      long count = Long.parseLong(parts.group(1));
      if (count <= Long.MAX_VALUE >> shift) {
        return count << shift;
      }
    }
    throw invalid(key, value.get(), "a number of bytes, such as 4096 or 256MiB");
  }

  /**
   * A duration with its unit, {@code ns}, {@code us}, {@code ms}, {@code s}, {@code m} or {@code
   * h}.
   */
  public Duration duration(String key, Duration otherwise) {
    Optional<String> value = text(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    Matcher parts = DURATION.matcher(value.get());
    try {
      if (parts.matches()) {
        long count = Long.parseLong(parts.group(1));
        return switch (parts.group(2)) {
          case "ns" -> Duration.ofNanos(count);
          case "us" -> Duration.ofNanos(Math.multiplyExact(count, 1_000L));
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          default -> Duration.ofHours(count);
        };
      }
    } catch (ArithmeticException tooLong) {
      // as one without a unit
    }
    throw invalid(key, value.get(), "a duration with a unit, such as 500ms or 10s");
  }

  /**
   * One of the constants of an enum, by its name, in any case, with {@code -} or {@code _} between
   * words.
   */
  public <E extends Enum<E>> E choice(String key, E otherwise) {
    Optional<String> value = text(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    List<E> constants = List.of(otherwise.getDeclaringClass().getEnumConstants());
    for (E constant : constants) {
      if (constant.name().equalsIgnoreCase(value.get().replace('-', '_'))) {
        return constant;
      }
    }
    throw invalid(
        key,
        value.get(),
        "one of " + String.join(", ", constants.stream().map(Enum::name).toList()));
  }

  /** What is between semicolons, without blanks around it; none if the option is not set. */
  public List<String> list(String key) {
    return Arrays.stream(text(key, "").split(";"))
        .map(String::strip)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  /** A path of the file system; empty if the option is not set. It need not exist. */
  public Optional<Path> path(String key) {
    Optional<String> value = text(key);
    try {
      return value.map(Path::of);
    } catch (InvalidPathException noPath) {
      throw invalid(key, value.orElse(""), "a path");
    }
  }

  /** All values by key, all of which count as read. */
  public Map<String, String> all() {
    read.addAll(values.keySet());
    return new TreeMap<>(values);
  }

  /** The keys that are set and were not read so far, in alphabetical order. */
  public Set<String> unread() {
    Set<String> unread = new TreeSet<>(values.keySet());
    unread.removeAll(read);
    return unread;
  }

  /**
   * The failure of an option whose value a backend itself has found to be wrong.
   *
   * @param expected what must have come, such as {@code the name of an interface}
   */
  public InferenceException invalid(String key, String value, String expected) {
    return InferenceException.invalid(
        "%s: option '%s' must be %s, got '%s'".formatted(owner, key, expected, value));
  }
}
