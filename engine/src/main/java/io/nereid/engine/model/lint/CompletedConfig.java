package io.nereid.engine.model.lint;

import com.google.protobuf.TextFormat;
import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelConfiguration;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.PolledConfig;
import io.nereid.engine.model.loading.VersionSelector;
import io.nereid.error.InferenceException;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The configuration of a model as the server would complete it for the newest version. */
public final class CompletedConfig {
  private final Optional<String> bareModel;
  private final ModelConfigReader reader;
  private final ModelConfigCompletion completion;
  private final BackendCatalog backends;

  /**
   * @param settings with backends
   */
  public CompletedConfig(LintSettings settings) {
    this.bareModel = settings.bareModel();
    this.reader = new ModelConfigReader(settings.configName(), settings.autoComplete());
    this.completion = new ModelConfigCompletion(settings.autoComplete(), settings.limits());
    this.backends = settings.backends().orElseThrow();
  }

  /**
   * The text of a model's {@code config.pbtxt}. Fields are in the order of the schema's numbers,
   * entries of maps in the order of their keys.
   *
   * @param path the model's directory
   * @throws InferenceException for which the model would not load
   */
  public String text(Path path) {
    ModelDirectory directory =
        bareModel
            .map(name -> new ModelDirectory(path, name, /* isBare= */ true))
            .orElseGet(() -> new ModelDirectory(path));
    return text(complete(directory).message());
  }

  /** A configuration in protobuf's text format. */
  static String text(io.nereid.protocol.config.ModelConfig config) {
    return TextFormat.printer().escapingNonAscii(false).printToString(config);
  }

  private ModelConfiguration complete(ModelDirectory directory) {
    PolledConfig polled = reader.read(directory);
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
      return completion.complete(directory, polled, UnaryOperator.identity(), _ -> 0, List.of());
    }
    var files = directory.files(newest, ModelFiles.Trust.CHECK);
    Backend backend = backends.open(polled.message().getBackend());
    return completion.complete(
        directory,
        polled,
        config -> backend.complete(files, config),
        backend::defaultInstanceCount,
        backend.gpus());
  }
}
