package io.nereid.server.doctor;

import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.lint.LintReport;
import io.nereid.engine.model.lint.LintSettings;
import io.nereid.engine.model.lint.RepositoryLint;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.spi.Check;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks of the model repositories, and which backends their models need. */
final class RepositoryChecks {
  private final LintSettings settings;
  private final List<Check> checks = new ArrayList<>();

  /** A model by the name of the backend that it needs. */
  private final Map<String, String> needed = new TreeMap<>();

  /**
   * @param locations directories, or in object stores, which are not read
   * @param settings how configurations are read
   */
  RepositoryChecks(List<String> locations, LintSettings settings) {
    this.settings = settings;
    locations.forEach(this::check);
  }

  List<Check> checks() {
    return List.copyOf(checks);
  }

  /** One of the models that need a backend, by the backend's name. */
  Map<String, String> needed() {
    return Map.copyOf(needed);
  }

  private void check(String location) {
    if (location.contains("://")) {
      checks.add(Check.ok("model repository", location + ": object stores are not read"));
      return;
    }
    Path directory;
    try {
      directory = Path.of(location);
    } catch (InvalidPathException noName) {
      checks.add(
          Check.problem(
              "model repository",
              "'%s' cannot be a path: %s".formatted(location, IoReason.of(noName)),
              "start with LC_ALL=C.UTF-8, or correct --model-repository"));
      return;
    }
    if (!Files.isDirectory(directory) || !Files.isReadable(directory)) {
      checks.add(
          Check.problem(
              "model repository",
              "'%s' is no directory that can be read".formatted(location),
              "correct --model-repository, or the rights of the directory"));
      return;
    }
    if (settings.bareModel().isEmpty() && RepositoryLint.isModel(directory)) {
      checks.add(
          Check.problem(
              "model repository",
              ModelDirectory.noRepository(directory),
              "correct --model-repository"));
      return;
    }
    try {
      List<String> models = new LocalRepository(directory, settings.bareModel()).models();
      models.forEach(model -> addBackend(modelDirectory(directory, model)));
      LintReport report = RepositoryLint.run(settings, List.of(directory));
      checks.add(summary(location, models.size(), report.errors()));
    } catch (InferenceException unreadable) {
      checks.add(
          Check.problem(
              "model repository",
              String.valueOf(unreadable.getMessage()),
              "make all of the repository readable"));
    }
  }

  private Check summary(String location, int models, long errors) {
    String finding = "%s: %s".formatted(location, CheckWriter.counted(models, "model"));
    if (errors > 0) {
      return Check.problem(
          "model repository",
          "%s, %s in configurations".formatted(finding, CheckWriter.counted(errors, "error")),
          "'nereid lint %s%s' says where"
              .formatted(
                  settings.bareModel().map(name -> "--model-name=" + name + " ").orElse(""),
                  location));
    }
    return models == 0
        ? Check.warning(
            "model repository",
            finding,
            "add the directory of a model, or serve a model file without one by --model-name")
        : Check.ok("model repository", finding);
  }

  private ModelDirectory modelDirectory(Path repository, String name) {
    boolean isBare = settings.bareModel().isPresent();
    return new ModelDirectory(isBare ? repository : repository.resolve(name), name, isBare);
  }

  private void addBackend(ModelDirectory model) {
    try {
      String backend = settings.reader().read(model).message().getBackend();
      if (!backend.isEmpty()) {
        needed.putIfAbsent(backend, model.name());
      }
    } catch (InferenceException | InvalidPathException _) {
      // RepositoryLint counts it as an error.
    }
  }
}
