package io.nereid.tck;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The arguments of a {@link RuleTable}, each case named by its line. */
final class RuleTableArguments extends AnnotationBasedArgumentsProvider<RuleTable> {
  /** The lines of a table that are no comments. */
  static Stream<String> lines(RuleTable table) {
    return table.value().lines().filter(line -> !line.startsWith("#"));
  }

  @Override
  protected Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context, RuleTable table) {
    return lines(table).map(line -> Arguments.argumentSet(line, arguments(line)));
  }

  private static Object[] arguments(String line) {
    return Arrays.stream(line.split("\\|", -1)).skip(1).map(RuleTableArguments::argument).toArray();
  }

  private static String argument(String column) {
    String text = column.strip();
    boolean quoted = text.length() > 1 && text.startsWith("`") && text.endsWith("`");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }
}
