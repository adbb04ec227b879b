package io.nereid.tck.command;

import io.nereid.tck.TckFiles;
import io.nereid.tck.TckModels;
import io.nereid.tck.command.tested.WrongArgument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code models}: writes what a server must have loaded. */
@Command(
    name = "models",
    description =
        "Writes the models that the rules ask, for Nereid, Triton, MLServer and KServe, and what"
            + " each computes for other servers.",
    mixinStandardHelpOptions = true)
final class ModelsCommand implements Callable<Integer> {
  private static final List<String> PYTHON =
      List.of(
          "triton/tck_add_sub/model.py",
          "triton/tck_echo/model.py",
          "triton/tck_repeat/model.py",
          "mlserver/settings.json",
          "mlserver/tck_models.py",
          "kserve/tck_models.py");

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "<folder>", description = "A new or empty folder.")
  private Path folder = Path.of("");

  @Override
  public Integer call() throws IOException {
    requireEmpty();
    Path models = Files.createDirectories(folder.resolve("models"));
    TckModels.extractTo(models);
    BackendJar.write(
        Files.createDirectories(folder.resolve("nereid/tck")).resolve("nereid-tck-backends.jar"));
    for (String file : PYTHON) {
      Path target = folder.resolve(file);
      Files.createDirectories(target.getParent());
      Files.writeString(target, TckFiles.text("python/" + file));
    }
    Files.writeString(folder.resolve("models.json"), ModelSignatures.json());
    Files.writeString(folder.resolve("README.md"), TckFiles.text("models/README.md"));
    Objects.requireNonNull(spec)
        .commandLine()
        .getOut()
        .printf(
            "%d models are in %s; %s says how a server gets them.%n",
            TckModels.names().size(), models, folder.resolve("README.md"));
    return TckStatus.CONFORMS;
  }

  private void requireEmpty() throws IOException {
    if (Files.exists(folder)) {
      if (!Files.isDirectory(folder)) {
        throw new WrongArgument("'%s' is no folder".formatted(folder));
      }
      try (var files = Files.list(folder)) {
        if (files.findAny().isPresent()) {
          throw new WrongArgument("folder '%s' is not empty".formatted(folder));
        }
      }
    }
  }
}
