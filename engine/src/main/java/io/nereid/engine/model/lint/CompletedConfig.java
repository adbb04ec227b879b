package io.nereid.engine.model.lint;

import com.google.protobuf.TextFormat;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.loading.VersionSelector;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The configuration of a model as the server would complete it for the newest version.
 *
 * @param settings with backends
 */
public record CompletedConfig(LintSettings settings) {
  /**
   * The text of a model's {@code config.pbtxt}. Fields are in the order of the schema's numbers,
   * entries of maps in the order of their keys.
   *
   * @param path the model's directory
   * @throws InferenceException for which the model would not load
   */
  public String text(Path path) {
    ModelDirectory directory =
        settings
            .bareModel()
            .map(name -> new ModelDirectory(path, name, /* isBare= */ true))
            .orElseGet(() -> new ModelDirectory(path));
    return text(complete(directory).message());
  }

  /** A configuration in protobuf's text format. */
  static String text(io.nereid.protocol.config.ModelConfig config) {
    return TextFormat.printer().escapingNonAscii(false).printToString(config);
  }

  private ModelConfiguration complete(ModelDirectory directory) {
    PolledConfig polled = settings.reader().read(directory);
    long newest =
        VersionSelector.select(
                directory.name(), polled.message().getVersionPolicy(), directory.versions())
            .getLast();
    var message = polled.message();
    if (ModelLint.namesLibraries(message)
        && (message.getInputCount() == 0 || message.getOutputCount() == 0)) {
      throw InferenceException.invalid(
          "model '%s': its inputs and outputs are not completed, since that needs %s"
              .formatted(directory.name(), ModelLint.UNOPENED));
    }
    if (message.hasEnsembleScheduling()) {
      return settings
          .completion()
          .complete(directory, polled, UnaryOperator.identity(), _ -> 0, List.of());
    }
    var files = directory.files(newest, ModelFiles.Trust.CHECK);
    Backend backend = settings.backends().orElseThrow().open(polled.message().getBackend());
    return settings
        .completion()
        .complete(
            directory,
            polled,
            config -> backend.complete(files, config),
            backend::defaultInstanceCount,
            backend.gpus());
  }
}
