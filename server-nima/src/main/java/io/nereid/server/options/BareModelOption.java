package io.nereid.server.options;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.error.InferenceException;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.util.Optional;
import picocli.CommandLine;

/** The option of a model whose files have no layout. */
public final class BareModelOption extends OptionGroup {
  private final OptionValue<String> name =
      option("--model-name=<name>", String.class, null)
          .help(
              "The repository is the folder of one model file, such as model.onnx, without"
                  + " directories of models and versions. It is served by this name, as version 1.");

  /** Empty if models have directories of their own. */
  public Optional<String> name() {
    return name.given();
  }

  /**
   * Rejects what no model can have for its name, and more than one place.
   *
   * @param places how many the command line names
   * @param option how it names them
   */
  public void check(CommandLine line, int places, String option) {
    name.given()
        .ifPresent(given -> {
          try {
            ModelDirectory.checkedName(given);
          } catch (InferenceException invalid) {
            throw invalid(line, ": " + invalid.getMessage());
          }
          if (!ModelDirectory.isModelName(given)) {
            throw invalid(line, ": " + ModelDirectory.INVALID_NAME.formatted(given));
          }
          if (places != 1) {
            throw invalid(
                line, " is for the model file of one %s, got %d".formatted(option, places));
          }
        });
  }

  private static CommandLine.ParameterException invalid(CommandLine line, String reason) {
    return new CommandLine.ParameterException(line, "Error: --model-name" + reason);
  }
}
