package io.nereid.server.options.declaration;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;

/**
 * Completes the names of options, as {@code getopt_long} does for Triton, and finds what was meant
 * by a wrong one. Not by picocli, which matches {@code --allow-met} with {@code
 * --allow-cpu-metrics} too, and takes {@code --http-address} for the nearest to {@code --htp-port}.
 */
public final class OptionNames {
  private OptionNames() {}

  /** The arguments, with each name in full that is the beginning of one name only. */
  public static String[] complete(CommandLine command, String... arguments) {
    Set<String> names = command.getCommandSpec().optionsMap().keySet();
    return Arrays.stream(arguments)
        .map(argument -> complete(argument, names))
        .toArray(String[]::new);
  }

  private static String complete(String argument, Set<String> names) {
    int equals = argument.indexOf('=');
    String name = equals < 0 ? argument : argument.substring(0, equals);
    if (!name.startsWith("--") || name.length() == 2 || names.contains(name)) {
      return argument;
    }
    List<String> found = names.stream().filter(each -> each.startsWith(name)).toList();
    return found.size() == 1 ? found.getFirst() + argument.substring(name.length()) : argument;
  }

  /** The name that differs in the fewest characters, unless that is more than each fourth. */
  public static Optional<String> nearest(String argument, Collection<String> names) {
    String word = argument.split("=", 2)[0];
    return names.stream()
        .filter(name -> distance(word, name) <= Math.max(1, word.length() / 4))
        .min(Comparator.comparingInt(name -> distance(word, name)));
  }

  /** The distance of Levenshtein. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    Arrays.setAll(row, column -> column);
    for (int i = 0; i < from.length(); i++) {
      int diagonal = row[0]++;
      for (int column = 1; column < row.length; column++) {
        int replaced = diagonal + (to.charAt(column - 1) == from.charAt(i) ? 0 : 1);
        diagonal = row[column];
        row[column] = Math.min(replaced, 1 + Math.min(row[column], row[column - 1]));
      }
    }
    return row[to.length()];
  }
}
