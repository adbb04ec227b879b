package io.nereid.server.options.declaration;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;

/**
 * Completes the names of options, as {@code getopt_long} does for Triton. Not by picocli, which
 * matches {@code --allow-met} with {@code --allow-cpu-metrics} too.
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
}
