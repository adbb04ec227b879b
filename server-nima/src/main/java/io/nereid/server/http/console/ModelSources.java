package io.nereid.server.http.console;

import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.error.InferenceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files behind configurations. Opens no backend, so no code of a model runs. Blocks while it
 * reads.
 *
 * @param repositories directories; those of object stores are left out
 * @param configs how configurations are read
 */
public record ModelSources(List<Path> repositories, ConfigSettings configs) {
  public ModelSources {
    repositories = List.copyOf(repositories);
  }

  /**
   * What is known of a model's file.
   *
   * @param model a name that the repository index has
   * @throws InferenceException NOT_FOUND if no directory has the model
   */
  byte[] describe(String model) {
    Path directory =
        repositories.stream()
            .map(repository -> repository.resolve(model))
            .filter(Files::isDirectory)
            .findFirst()
            .orElseThrow(() ->
                InferenceException.notFound(
                    "model '%s': no directory has it: it is in an object store, or was loaded from a request"
                        .formatted(model)));
    LintReport report =
        RepositoryLint.run(
            new LintSettings(Optional.empty(), configs, Optional.empty()), List.of(directory));
    return ConfigurationWriter.write(lines(directory), report);
  }

  /** The lines of the fields that the file states; none if it cannot be read, as lint says. */
  private Map<String, Integer> lines(Path directory) {
    try {
      return new ModelDirectory(directory)
          .configFile(configs.preferred())
          .<Map<String, Integer>>map(file -> ModelConfigReader.parse(file).lines())
          .orElse(Map.of());
    } catch (InferenceException unreadable) {
      return Map.of();
    }
  }
}
