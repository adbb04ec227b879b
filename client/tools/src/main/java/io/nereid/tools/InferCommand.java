package io.nereid.tools;

import io.nereid.tools.data.AnswerFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code infer}: asks a model, and prints its answers. */
@Command(
    name = "infer",
    description = {
      "Asks a model of a server, or in a folder, and prints its answers.",
      "A model with several inputs takes the columns of a file by name; one with one input too if it"
          + " names its features, else in their order.",
      "Exits with 0 if it answered, 1 if the server or the model failed, 2 if an option or a file"
          + " is wrong."
    },
    mixinStandardHelpOptions = true)
public final class InferCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private ModelLocation options = new ModelLocation();

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--output",
      paramLabel = "<name>",
      split = ",",
      description = "An output to ask for. Repeatable, or with commas. Default: all.")
  private List<String> outputs = List.of();

  @Option(
      names = "--format",
      paramLabel = "<format>",
      defaultValue = "table",
      converter = Format.class,
      description = "table, csv or json. Default: ${DEFAULT-VALUE}.")
  private AnswerFormat format = AnswerFormat.TABLE;

  /** By the name of a format in lower case. */
  private static final class Format implements ITypeConverter<AnswerFormat> {
    @Override
    public AnswerFormat convert(String text) {
      for (AnswerFormat each : AnswerFormat.values()) {
        if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
          return each;
        }
      }
      throw new TypeConversionException("expected table, csv or json, got '%s'".formatted(text));
    }
  }

  @Override
  public Integer call() {
    CommandSpec own = Objects.requireNonNull(spec);
    return ExitStatus.of(
        own.commandLine(),
        options,
        1,
        () -> {
          try (AskedModel model = options.open()) {
            ModelRequests requests = input.read(model, Optional.empty(), outputs);
            ExitStatus.notice(own.commandLine(), requests.notice());
            format.write(
                requests.send(model.client()),
                model.config().names(model.metadata().outputs()),
                own.commandLine().getOut());
          }
          return 0;
        });
  }
}
