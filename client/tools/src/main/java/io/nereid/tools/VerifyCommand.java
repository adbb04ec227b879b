package io.nereid.tools;

import io.nereid.client.InferResponse;
import io.nereid.client.Tensor;
import io.nereid.client.model.TensorMetadata;
import io.nereid.tools.data.ColumnNames;
import io.nereid.tools.data.Comparison;
import io.nereid.tools.data.DataException;
import io.nereid.tools.data.TensorFile;
import io.nereid.tools.data.WantedTensors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code verify}: compares a model's answers with those that are expected. */
@Command(
    name = "verify",
    description = {
      "Asks a model of a server, or in a folder, and compares its answers with those of a file.",
      "Floating-point numbers are the same if |got - expected| <= atol + rtol * |expected|, as"
          + " numpy.allclose has it; expected ones are rounded to the output's data type before.",
      "Exits with 0 if all are the same, 1 if a row differs, 2 if they could not be compared."
    },
    mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
  private static final int TROUBLE = 2;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private ModelLocation options = new ModelLocation();

  @Option(
      names = "--inputs",
      required = true,
      paramLabel = "<file>",
      description = "What to ask: .csv, .json, .npz or .npy, as of infer.")
  private Path inputs = Path.of("");

  @Option(
      names = "--expected",
      required = true,
      paramLabel = "<file>",
      description = {
        "What to expect: a file of the same kinds, with a row for each of the inputs. For a model"
            + " with several outputs, columns or arrays have their names; those that it does not"
            + " have are not compared. infer --format csv writes such a file."
      })
  private Path expected = Path.of("");

  @Mixin private RowOptions rows = new RowOptions();

  @Option(
      names = "--output",
      paramLabel = "<name>",
      description = "The only output that is compared: then its columns may have any name.")
  private Optional<String> output = Optional.empty();

  @Option(
      names = "--rtol",
      paramLabel = "<number>",
      defaultValue = "1e-5",
      description = "The relative tolerance. Default: ${DEFAULT-VALUE}.")
  private double relative;

  @Option(
      names = "--atol",
      paramLabel = "<number>",
      defaultValue = "1e-8",
      description = "The absolute tolerance. Default: ${DEFAULT-VALUE}.")
  private double absolute;

  @Option(
      names = "--show",
      paramLabel = "<values>",
      defaultValue = "10",
      description = "How many values that differ are printed. Default: ${DEFAULT-VALUE}.")
  private int shown;

  @Override
  public Integer call() {
    CommandSpec own = Objects.requireNonNull(spec);
    return ExitStatus.of(
        own.commandLine(),
        options,
        TROUBLE,
        () -> {
          try (AskedModel model = options.open()) {
            return print(model.metadata().name(), compare(model), own.commandLine().getOut());
          }
        });
  }

  private List<Comparison> compare(AskedModel model) throws IOException {
    ColumnNames columns = model.config().names(model.metadata().outputs());
    TensorFile asked =
        TensorFile.read(inputs, model.config().inputs(model.metadata()), rows.format());
    ExitStatus.notice(Objects.requireNonNull(spec).commandLine(), asked.notice());
    TensorFile wanted =
        TensorFile.read(
            expected,
            WantedTensors.outputs(outputs(model), columns, output.isPresent()),
            rows.format());
    if (asked.rows() != wanted.rows()) {
      throw new DataException(
          "'%s' has %d rows, and '%s' has %d"
              .formatted(inputs, asked.rows(), expected, wanted.rows()));
    }
    List<String> names = List.copyOf(wanted.tensors().keySet());
    InferResponse answer = ModelRequests.of(model, asked, rows.batch(), names).send(model.client());
    List<Comparison> comparisons = new ArrayList<>();
    int left = shown;
    for (String name : names) {
      Tensor got = answer.output(name);
      Comparison comparison =
          Comparison.of(
              name,
              got,
              wanted.tensor(name),
              columns,
              new Comparison.Tolerance(relative, absolute),
              left);
      left -= comparison.differences().size();
      comparisons.add(comparison);
    }
    return comparisons;
  }

  private List<TensorMetadata> outputs(AskedModel model) {
    List<TensorMetadata> all = model.metadata().outputs();
    if (output.isEmpty()) {
      return all;
    }
    List<TensorMetadata> chosen =
        all.stream().filter(each -> each.name().equals(output.get())).toList();
    if (chosen.isEmpty()) {
      throw new DataException(
          "model '%s' has no output '%s'; it has %s"
              .formatted(
                  model.metadata().name(),
                  output.get(),
                  all.stream().map(TensorMetadata::name).toList()));
    }
    return chosen;
  }

  private static String said(Comparison.Largest largest) {
    return String.format(
        Locale.ROOT,
        "; largest difference %.3g, relative %.3g%s",
        largest.absolute(),
        largest.relative(),
        largest.halfMissing() == 0
            ? ""
            : "; %d values are NaN on one side only".formatted(largest.halfMissing()));
  }

  private static int print(String model, List<Comparison> comparisons, PrintWriter out) {
    int differing = 0;
    for (Comparison each : comparisons) {
      out.printf(
          Locale.ROOT,
          "%s %s: %d rows, %d differ%s%n",
          each.output(),
          each.type(),
          each.rows(),
          each.differingRows(),
          Comparison.isNumber(each.type()) ? said(each.largest()) : "");
      for (Comparison.Difference difference : each.differences()) {
        out.printf(
            "  row %d, %s: got %s, expected %s%n",
            difference.row(), difference.column(), difference.got(), difference.expected());
      }
      differing = Math.max(differing, each.differingRows());
    }
    out.printf("model '%s': %s%n", model, differing == 0 ? "the same" : "different");
    out.flush();
    return differing == 0 ? 0 : 1;
  }
}
