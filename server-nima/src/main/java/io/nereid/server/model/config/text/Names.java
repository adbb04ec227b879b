package io.nereid.server.model.config.text;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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

  private Names() {}

  /**
   * The nearest of the known names: the same letters in another case or with other separators, else
   * the only one that ends or begins with the name, else the one with the fewest edits if these are
   * few.
   */
  public static Optional<String> nearest(String name, Collection<String> known) {
    String plain = plain(name);
    Optional<String> same = known.stream().filter(each -> plain(each).equals(plain)).findFirst();
    if (same.isPresent() || plain.length() > 64) {
      return same;
    }
    var ending =
        known.stream().filter(each -> plain.length() > 2 && words(each).endsWith(plain)).toList();
    if (ending.size() == 1) {
      return Optional.of(ending.getFirst());
    }
    var beginning =
        known.stream().filter(each -> plain.length() > 3 && plain(each).startsWith(plain)).toList();
    if (beginning.size() == 1) {
      return Optional.of(beginning.getFirst());
    }
    String best = "";
    int fewest = 2 * Math.max(1, plain.length() / 3) + 1;
    for (String each : known) {
      int edits = edits(plain, plain(each));
      if (edits < fewest) {
        fewest = edits;
        best = each;
      }
    }
    return Optional.of(best).filter(found -> !found.isEmpty());
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
