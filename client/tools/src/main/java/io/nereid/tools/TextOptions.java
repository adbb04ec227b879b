package io.nereid.tools;

import io.nereid.tools.data.TextFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How CSV is read. */
final class TextOptions {
  @Option(
      names = "--header",
      negatable = true,
      description =
          "Whether the first line of a CSV has names of columns. Needed only if it has numbers.")
  private @Nullable Boolean header;

  @Option(
      names = "--separator",
      paramLabel = "<character>",
      defaultValue = ",",
      description = "What is between the columns of a CSV. Default: ${DEFAULT-VALUE}")
  private char separator;

  @Option(
      names = "--ignore",
      paramLabel = "<column>",
      split = ",",
      description = "Columns to leave out, by name, such as an id. Repeatable, or with commas.")
  private List<String> ignored = List.of();

  TextFormat format() {
    return new TextFormat(
        header == null
            ? TextFormat.Header.UNSAID
            : header ? TextFormat.Header.YES : TextFormat.Header.NO,
        separator,
        ignored);
  }
}
