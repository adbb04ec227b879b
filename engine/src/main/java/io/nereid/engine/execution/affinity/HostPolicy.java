package io.nereid.engine.execution.affinity;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A host policy.
 *
 * @param cores the processors on which a thread may run; empty for any
 * @param numaNode the node in which its memory lies; empty for any
 */
public record HostPolicy(List<Cores> cores, OptionalInt numaNode) {
  /** A policy that sets nothing. */
  public static final HostPolicy ANY = new HostPolicy(List.of(), OptionalInt.empty());

  /** One more than the highest number of a processor that Linux can be built for. */
  private static final int MAX_CORES = 8192;

  /** One more than the highest number of a node that Linux can be built for. */
  private static final int MAX_NODES = 1024;

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

  /**
   * A range of processors.
   *
   * @param lower the first
   * @param upper the last, at least {@code lower}
   */
  public record Cores(int lower, int upper) {}

  public HostPolicy {
    cores = List.copyOf(cores);
  }

  /**
   * This policy with a setting of the option {@code --host-policy} changed.
   *
   * @param setting {@code cpu-cores}, a list of ranges such as {@code 0-3,8-11}, or {@code
   *     numa-node}, a number
   * @throws IllegalArgumentException if there is no such setting, or the value is invalid
   */
  public HostPolicy with(String setting, String value) {
    return switch (setting) {
      case "cpu-cores" -> new HostPolicy(ranges(value), numaNode);
      case "numa-node" -> new HostPolicy(cores, OptionalInt.of(number(setting, value, MAX_NODES)));
      default ->
          throw new IllegalArgumentException(
              "Unsupported host policy setting '%s' is specified, supported settings are"
                      .formatted(setting)
                  + " 'numa-node', 'cpu-cores'");
    };
  }

  private static List<Cores> ranges(String value) {
    List<Cores> ranges = new ArrayList<>();
    for (String range : value.split(",", -1)) {
      int hyphen = range.indexOf('-');
      if (hyphen < 0) {
        throw wrongFormat(range);
      }
      int lower = number("cpu-cores", range.substring(0, hyphen), MAX_CORES);
      int upper = number("cpu-cores", range.substring(hyphen + 1), MAX_CORES);
      if (lower > upper) {
        throw wrongFormat(range);
      }
      ranges.add(new Cores(lower, upper));
    }
    return ranges;
  }

  private static IllegalArgumentException wrongFormat(String range) {
    return new IllegalArgumentException(
        "host policy setting 'cpu-cores' format is '<lower_cpu_core_id>-<upper_cpu_core_id>'. Got "
            + range);
  }

  private static int number(String setting, String text, int limit) {
    if (!NUMBER.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "Parsing '%s' value: Can't parse '%s' to integer".formatted(setting, text));
    }
    int number = Integer.parseInt(text);
    if (number >= limit) {
      throw new IllegalArgumentException(
          "Parsing '%s' value: expected less than %d, got %d".formatted(setting, limit, number));
    }
    return number;
  }

  /** The numbers of the processors; empty if a thread may run on any. */
  BitSet coreSet() {
    var set = new BitSet();
    cores.forEach(range -> set.set(range.lower(), range.upper() + 1));
    return set;
  }
}
