package io.nereid.engine.model.lint;

import io.nereid.engine.backend.BackendCatalog;
import io.nereid.engine.model.config.ModelConfigCompletion;
import io.nereid.engine.model.config.ModelConfigReader;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.ConfigText;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.engine.model.loading.ModelLoader;
import io.nereid.engine.model.loading.VersionSelector;
import io.nereid.engine.thread.BoundedCall;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.ModelFiles;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** Applies to one model what the server applies when it loads, and goes on after a failure. */
record ModelLint(LintSettings settings) {
  /** Why something is not found out: a library runs code as soon as it is opened. */
  static final String UNOPENED = "the libraries of 'model_operations', which only a server opens";

  private static final FieldPath BACKEND = FieldPath.of("backend");

  LintedModel check(ModelDirectory directory) {
    var findings = new ModelFindings(directory.path());
    try {
      return check(directory, findings);
    } catch (InferenceException unreadable) {
      findings.unreadable(directory.path(), "cannot be listed", unreadable);
    } catch (InvalidPathException noName) { // a name in the configuration
      findings.error(
          directory.path(),
          "'%s' cannot be a path: %s".formatted(noName.getInput(), IoReason.of(noName)));
    }
    return new LintedModel(directory, findings, Optional.empty(), List.of());
  }

  private LintedModel check(ModelDirectory directory, ModelFindings findings) {
    Optional<Path> file = directory.configFile(settings.configs().preferred());
    var config = ModelConfig.getDefaultInstance();
    if (file.isPresent()) {
      Optional<ConfigText> text = read(file.get(), findings);
      if (text.isEmpty() || !isReadable(text.get())) {
        return new LintedModel(directory, findings, Optional.empty(), List.of());
      }
      config = text.get().message();
    } else if (!settings.configs().autoComplete()) {
      findings.error(directory.path(), ModelConfigReader.missing(directory).getMessage());
    }
    return check(directory, config, findings);
  }

  private static Optional<ConfigText> read(Path file, ModelFindings findings) {
    try {
      ConfigText text = ModelConfigReader.parse(file);
      findings.read(file, text);
      return Optional.of(text);
    } catch (InferenceException unreadable) {
      findings.unreadable(file, "cannot be read", unreadable);
      return Optional.empty();
    }
  }

  /**
   * Whether enough of a text could be read to apply rules without errors that follow from others.
   */
  private static boolean isReadable(ConfigText text) {
    return text.isComplete()
        && text.unread().stream().noneMatch(path -> path.segments().size() == 1);
  }

  private LintedModel check(ModelDirectory directory, ModelConfig read, ModelFindings findings) {
    var problems = new ConfigProblems();
    var normal = settings.reader().check(read, directory, problems);
    List<Long> present = directory.versions();
    List<Long> versions =
        problems
            .attempt(
                FieldPath.of("version_policy"),
                () -> VersionSelector.select(directory.name(), normal.getVersionPolicy(), present))
            .orElse(List.of());
    var config = complete(directory, normal, versions, problems);
    findings.add(problems.all());
    var files = new FileLint(directory, config, findings);
    files.checkDirectory();
    files.checkVersions(versions);
    if (namesLibraries(config)) {
      findings.warning(
          FieldPath.of("model_operations").element("op_library_filename", 0),
          "the model is not compared with its file, since that needs " + UNOPENED);
    }
    if (!findings.hasErrors()) {
      files.checkNamedFiles();
      findings.attempt(
          FieldPath.ROOT.entry("parameters", ModelLoader.NATIVE_STRATEGY),
          () -> ModelLoader.rejectNativeStrategy(ModelConfigRecords.record(config)));
      addWarnings(config, findings);
    }
    if (!findings.hasErrors()) {
      load(directory, normal, config, versions, findings);
    }
    return new LintedModel(directory, findings, Optional.of(config), versions);
  }

  static boolean namesLibraries(ModelConfig config) {
    return config.getModelOperations().getOpLibraryFilenameCount() > 0;
  }

  /** What the backend would leave out. */
  private void addWarnings(ModelConfig config, ModelFindings findings) {
    Optional<Backend> backend = backend(config, new ConfigProblems());
    findings.attempt(
        FieldPath.ROOT,
        () ->
            backend
                .map(open -> open.warnings(ModelConfigRecords.record(config)))
                .orElse(List.of())
                .forEach(warning -> findings.warning(FieldPath.ROOT, warning)));
  }

  /** Loads the versions as a server would, unless that may run code that the model brings. */
  private void load(
      ModelDirectory directory,
      ModelConfig polled,
      ModelConfig completed,
      List<Long> versions,
      ModelFindings findings) {
    if (settings.backends().isEmpty() || completed.hasEnsembleScheduling()) {
      return;
    }
    BackendCatalog backends = settings.backends().get();
    for (long version : versions) {
      try {
        if (!backends
            .open(completed.getBackend())
            .runsCodeOf(ModelConfigRecords.record(completed))) {
          var trial = new TrialLoad(settings.completion(), backends);
          if (!isDone(directory.name(), () -> trial.run(directory, polled, completed, version))) {
            findings.warning(
                FieldPath.ROOT,
                "version %d has not loaded in %d s, so lint does not know whether it does; --load-timeout-secs is how long it waits"
                    .formatted(version, settings.loadLimit().toSeconds()));
          }
        }
      } catch (InferenceException failed) {
        findings.error(ModelConfigCompletion.named(polled, failed.getMessage()), failed);
      }
    }
  }

  /** Whether a load ends in time; one that does not is left behind. */
  private boolean isDone(String model, Runnable load) {
    try {
      var _ =
          BoundedCall.run(
              "lint of " + model, settings.loadLimit(), Executors.callable(load, true), _ -> {});
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException failed) {
      switch (failed.getCause()) {
        case RuntimeException known -> throw known;
        case Error known -> throw known;
        case null, default -> throw new IllegalStateException(failed);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw InferenceException.unavailable("interrupted while model '%s' loads".formatted(model));
    }
  }

  private ModelConfig complete(
      ModelDirectory directory, ModelConfig config, List<Long> versions, ConfigProblems problems) {
    Optional<Backend> backend = backend(config, problems);
    OptionalLong newest = versions.stream().mapToLong(version -> version).max();
    UnaryOperator<io.nereid.config.ModelConfig> byBackend =
        draft ->
            backend.isPresent() && newest.isPresent()
                ? backend
                    .get()
                    .complete(directory.files(newest.getAsLong(), ModelFiles.Trust.CHECK), draft)
                : draft;
    var completed =
        settings
            .completion()
            .complete(
                directory,
                config,
                byBackend,
                kind ->
                    backend
                        .flatMap(open ->
                            problems.attempt(BACKEND, () -> open.defaultInstanceCount(kind)))
                        .orElse(1),
                backend
                    .flatMap(open -> problems.attempt(BACKEND, open::gpus))
                    .orElseGet(() -> namedGpus(config)),
                problems);
    if (!settings.configs().autoComplete()
        && problems.isEmpty()
        && !config.hasEnsembleScheduling()) {
      refuse(byBackend, config, problems);
    }
    return completed;
  }

  /** Has the backend check a configuration that it does not complete. */
  private static void refuse(
      UnaryOperator<io.nereid.config.ModelConfig> backend,
      ModelConfig config,
      ConfigProblems problems) {
    try {
      var _ = backend.apply(ModelConfigRecords.record(config));
    } catch (InferenceException refused) {
      problems.add(ModelConfigCompletion.named(config, refused.getMessage()), refused);
    }
  }

  /** The GPUs that instances ask for, or any: without the backend, what there is is not known. */
  private static List<Integer> namedGpus(ModelConfig config) {
    List<Integer> named =
        config.getInstanceGroupList().stream()
            .flatMap(group -> group.getGpusList().stream())
            .distinct()
            .toList();
    return named.isEmpty() ? List.of(0) : named;
  }

  private Optional<Backend> backend(ModelConfig config, ConfigProblems problems) {
    return settings
        .backends()
        .filter(_ -> !config.getBackend().isEmpty())
        .flatMap(catalog -> problems.attempt(BACKEND, () -> catalog.open(config.getBackend())));
  }
}
