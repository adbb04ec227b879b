package io.nereid.server.options;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.error.InferenceException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option of a model whose files have no layout. */
public final class BareModelOption {
  @Option(
      names = "--model-name",
      paramLabel = "<name>",
      description =
          "The repository is the folder of one model file, such as model.onnx, without directories"
              + " of models and versions. It is served by this name, as version 1.")
  private @Nullable String name;

  /** Empty if models have directories of their own. */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /**
   * Rejects what no model can have for its name, and more than one place.
   *
   * @param places how many the command line names
   * @param option how it names them
   */
  public void check(CommandLine line, int places, String option) {
    if (name == null) {
      return;
    }
    try {
      ModelDirectory.checkedName(name);
    } catch (InferenceException invalid) {
      throw new CommandLine.ParameterException(
          line, "Error: --model-name: " + invalid.getMessage());
    }
    if (!ModelDirectory.isModelName(name)) {
      throw new CommandLine.ParameterException(
          line, "Error: --model-name: " + ModelDirectory.INVALID_NAME.formatted(name));
    }
    if (places != 1) {
      throw new CommandLine.ParameterException(
          line,
          "Error: --model-name is for the model file of one %s, got %d".formatted(option, places));
    }
  }
}
