package io.nereid.tools;

import io.nereid.tools.data.TextFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** How rows are read of a file, and how many are sent at once. */
final class RowOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  private Optional<Integer> batch = Optional.empty();

  @Option(
      names = "--header",
      negatable = true,
      description =
          "Whether the first line of each CSV (verify reads two) names columns. Needed only for"
              + " numbers.")
  private @Nullable Boolean header;

  @Option(
      names = "--separator",
      paramLabel = "<character>",
      defaultValue = ",",
      converter = Separator.class,
      description = "What is between the columns of a CSV. Default: ${DEFAULT-VALUE}")
  private char separator;

  @Option(
      names = "--ignore",
      paramLabel = "<column>",
      split = ",",
      description = "Columns to leave out, by name, such as an id. Repeatable, or with commas.")
  private List<String> ignored = List.of();

  @Option(
      names = "--in-order",
      description =
          "A model with one input takes the columns in their order, whatever their names.")
  private boolean isInOrder;

  @Option(
      names = "--allow-missing",
      description =
          "An input or feature that the file does not have is missing in all rows. Default: it is an"
              + " error.")
  private boolean mayLack;

  @Option(
      names = "--batch",
      paramLabel = "<rows>",
      description =
          "The most rows of a request. Default: max_batch_size of the model, at most 1000; bench"
              + " has 1.")
  void setBatch(int rows) {
    if (rows < 1) {
      throw new ParameterException(
          Objects.requireNonNull(command).commandLine(),
          "Error: --batch must be 1 or more, got " + rows);
    }
    batch = Optional.of(rows);
  }

  /** A character, or {@code \t} for a tab. */
  private static final class Separator implements ITypeConverter<Character> {
    @Override
    public Character convert(String text) {
      if (text.length() != 1 && !text.equals("\\t")) {
        throw new TypeConversionException("expected one character, got '%s'".formatted(text));
      }
      return text.length() == 1 ? text.charAt(0) : '\t';
    }
  }

  /** The most rows of a request, if the user says. */
  Optional<Integer> batch() {
    return batch;
  }

  TextFormat format() {
    return new TextFormat(
        header == null
            ? TextFormat.Header.UNSAID
            : header ? TextFormat.Header.YES : TextFormat.Header.NO,
        separator,
        ignored,
        isInOrder,
        mayLack);
  }
}
