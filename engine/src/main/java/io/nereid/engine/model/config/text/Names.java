package io.nereid.engine.model.config.text;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Finds the name that a misspelled one was meant to be. */
public final class Names {
  private static final Map<String, String> OTHER_TYPES =
      Map.ofEntries(
          Map.entry("float", "TYPE_FP32"),
          Map.entry("float16", "TYPE_FP16"),
          Map.entry("half", "TYPE_FP16"),
          Map.entry("float32", "TYPE_FP32"),
          Map.entry("float64", "TYPE_FP64"),
          Map.entry("double", "TYPE_FP64"),
          Map.entry("bfloat16", "TYPE_BF16"),
          Map.entry("int", "TYPE_INT32"),
          Map.entry("long", "TYPE_INT64"),
          Map.entry("bytes", "TYPE_STRING"),
          Map.entry("boolean", "TYPE_BOOL"));

  /** The characters of a name that is compared with names that differ in more than case. */
  private static final int MAX_COMPARED = 64;

  private Names() {}

  /**
   * The nearest of the known names: the same letters in another case or with other separators, else
   * the only one that ends or begins with the name, else the one with the fewest edits if these are
   * few.
   */
  public static Optional<String> nearest(String name, Collection<String> known) {
    String plain = plain(name);
    List<String> names = List.copyOf(known);
    List<String> plains = names.stream().map(Names::plain).toList();
    int same = plains.indexOf(plain);
    if (same >= 0) {
      return Optional.of(names.get(same));
    }
    if (plain.length() > MAX_COMPARED) {
      return Optional.empty();
    }
    return only(names, i -> plain.length() > 2 && words(names.get(i)).endsWith(plain))
        .or(() -> only(names, i -> plain.length() > 3 && plains.get(i).startsWith(plain)))
        .or(() -> withFewestEdits(plain, names, plains));
  }

  /** {@code "; did you mean 'x'?"} with the nearest of the known names; empty if none is near. */
  public static String question(String name, Collection<String> known) {
    return nearest(name, known).map("; did you mean '%s'?"::formatted).orElse("");
  }

  /** The name whose index alone is right; empty if there are several. */
  private static Optional<String> only(List<String> names, IntPredicate isRight) {
    int[] right = IntStream.range(0, names.size()).filter(isRight).limit(2).toArray();
    return right.length == 1 ? Optional.of(names.get(right[0])) : Optional.empty();
  }

  private static Optional<String> withFewestEdits(
      String plain, List<String> names, List<String> plains) {
    Optional<String> best = Optional.empty();
    int fewest = 2 * Math.max(1, plain.length() / 3) + 1;
    for (int i = 0; i < names.size(); i++) {
      String other = plains.get(i);
      if (2 * Math.abs(plain.length() - other.length()) < fewest) { // an insertion costs 2
        int edits = edits(plain, other);
        if (edits < fewest) {
          fewest = edits;
          best = Optional.of(names.get(i));
        }
      }
    }
    return best;
  }

  /** The nearest value of an enum; knows what other libraries call the data types. */
  static Optional<String> nearestValue(String name, Collection<String> known) {
    String other = OTHER_TYPES.get(plain(name).replaceFirst("^type", ""));
    return other != null && known.contains(other) ? Optional.of(other) : nearest(name, known);
  }

  /** Whether two names differ in case and separators only. */
  static boolean isSame(String one, String other) {
    return plain(one).equals(plain(other));
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[_ -]", "");
  }

  /** Without the first word: the prefix that all values of an enum share. */
  private static String words(String name) {
    int first = name.indexOf('_');
    return first < 0 ? "" : plain(name.substring(first));
  }

  /** Insertions, deletions and replacements, which cost 2, and exchanges of neighbours. */
  private static int edits(String one, String other) {
    int[][] cost = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = 2 * (i + j);
          continue;
        }
        int replaced = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 2;
        int least = Math.min(cost[i - 1][j], cost[i][j - 1]) + 2;
        least = Math.min(least, cost[i - 1][j - 1] + replaced);
        boolean exchanged =
            i > 1
                && j > 1
                && one.charAt(i - 1) == other.charAt(j - 2)
                && one.charAt(i - 2) == other.charAt(j - 1);
        cost[i][j] = exchanged ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
      }
    }
    return cost[one.length()][other.length()];
  }
}
