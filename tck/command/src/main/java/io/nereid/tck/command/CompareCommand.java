package io.nereid.tck.command;

import io.nereid.tck.command.report.JsonReport;
import io.nereid.tck.command.report.MatrixTable;
import io.nereid.tck.command.report.Page;
import io.nereid.tck.command.tested.WrongArgument;
import io.nereid.tck.support.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code compare}: the results of runs beside each other. */
@Command(
    name = "compare",
    description =
        "Writes a page with the results of several runs beside each other, a column each, and"
            + " prints how many rules of each area passed, failed and were skipped, as a table of"
            + " Markdown.",
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "<results.json>",
      arity = "0..*",
      description = "What runs have written as results.json.")
  private List<Path> files = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "<file>",
      defaultValue = "matrix.html",
      description = "The page. Default: ${DEFAULT-VALUE}.")
  private Path output = Path.of("");

  @Override
  public Integer call() throws IOException {
    if (files.size() < 2) {
      throw new WrongArgument("compare needs the results.json of two runs or more");
    }
    List<String> results = new ArrayList<>();
    for (Path file : files) {
      results.add(read(file));
    }
    Files.writeString(output, Page.ofRuns(results));
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    out.println(MatrixTable.of(results));
    out.println("The page is " + output);
    return TckStatus.CONFORMS;
  }

  private static String read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new WrongArgument("there is no file '%s'".formatted(file));
    }
    byte[] text = Files.readAllBytes(file);
    try {
      if (Json.number(Json.object(text), "format") == JsonReport.FORMAT) {
        return new String(text, StandardCharsets.UTF_8);
      }
    } catch (AssertionError notOurs) {
      // told below
    }
    throw new WrongArgument(
        "'%s' is no results.json of this version of the kit (format %d)"
            .formatted(file, JsonReport.FORMAT));
  }
}
