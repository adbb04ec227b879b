package io.nereid.engine.model.lint;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.validation.ModelFormat;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.LocalRepository;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds all that would fail when models load, and warns of what would be ignored. Models that an
 * ensemble needs are looked for in the ensemble's repository.
 */
public final class RepositoryLint {
  private final ModelLint lint;

  /** The repositories that models to report are in, with these models. */
  private final Map<Path, Set<String>> wanted = new LinkedHashMap<>();

  private final List<Finding> findings = new ArrayList<>();
  private int count;

  private RepositoryLint(LintSettings settings) {
    this.lint = new ModelLint(settings);
  }

  /**
   * Checks repositories and models.
   *
   * @param paths directories that exist; a single one if it is of a model without a layout
   */
  public static LintReport run(LintSettings settings, List<Path> paths) {
    var run = new RepositoryLint(settings);
    if (settings.bareModel().isPresent()) {
      return run.checkBare(new ModelDirectory(paths.getFirst(), settings.bareModel().get(), true));
    }
    for (Path path : paths) {
      try {
        run.add(path);
      } catch (InferenceException unreadable) {
        run.addError(path, unreadable.getMessage());
      }
    }
    run.warnOfDuplicates();
    run.check();
    return new LintReport(run.findings, run.count);
  }

  private void addError(Path path, String message) {
    findings.add(Finding.of(Finding.Severity.ERROR, path, message));
  }

  private void addWarning(Path path, String message) {
    findings.add(Finding.of(Finding.Severity.WARNING, path, message));
  }

  private LintReport checkBare(ModelDirectory directory) {
    LintedModel model = lint.check(directory);
    new CallerLint(Map.of(directory.name(), model)).check();
    return new LintReport(model.findings().sorted(), 1);
  }

  private void add(Path path) {
    if (isModel(path)) {
      boolean isNamed = !path.toString().isEmpty() && !path.endsWith("..") && !path.endsWith(".");
      Path named = isNamed ? path : path.toAbsolutePath().normalize();
      Path repository = named.resolveSibling("");
      wanted
          .computeIfAbsent(repository, _ -> new LinkedHashSet<>())
          .add(named.getFileName().toString());
      return;
    }
    Path whole = path.toAbsolutePath().normalize();
    Path above = whole.getParent();
    if (above != null
        && DirectoryContents.version(whole.getFileName().toString()).isPresent()
        && isModel(above)) {
      addError(
          path, "this is a version of model '%s': lint %s".formatted(above.getFileName(), above));
      return;
    }
    List<String> models = new LocalRepository(path).models();
    Set<String> names = wanted.computeIfAbsent(path, _ -> new LinkedHashSet<>());
    for (String model : models) {
      if (isPath(path, model)) {
        names.add(model);
      }
    }
    if (models.isEmpty()) {
      addWarning(path, "the repository has no directory of a model, such as <name>/1/model.onnx");
    }
    addIgnored(path);
  }

  /** Warns of links to nothing, and of files that would be models in directories of their own. */
  private void addIgnored(Path repository) {
    try {
      for (Path entry : FileTree.list(repository)) {
        String name = entry.getFileName().toString();
        FileLint.brokenLink(entry).ifPresent(message -> addWarning(entry, message));
        if (Files.isRegularFile(entry)
            && (ModelFormat.finderOf(name).isPresent()
                || ModelFormat.detect("", name, Optional.empty()).isPresent())) {
          addWarning(
              entry,
              "ignored: move it to '<name>/1/%s', or serve '%s' with --model-name=<name>"
                  .formatted(name, repository));
        }
      }
    } catch (IOException unreadable) {
      addError(repository, "cannot be listed: " + IoReason.of(unreadable));
    }
  }

  /** Whether a model's name can be a path; if not, reports why. */
  private boolean isPath(Path repository, String model) {
    try {
      var _ = repository.resolve(model);
      return true;
    } catch (InvalidPathException noName) {
      addError(
          repository,
          "model '%s': its name cannot be a path: %s".formatted(model, IoReason.of(noName)));
      count++;
      return false;
    }
  }

  /** Whether a directory is that of a model: it has a configuration, or only versions. */
  public static boolean isModel(Path path) {
    if (Files.exists(path.resolve("config.pbtxt")) || Files.isDirectory(path.resolve("configs"))) {
      return true;
    }
    List<String> directories = new LocalRepository(path).models();
    return directories.stream()
        .anyMatch(name ->
            DirectoryContents.version(name).isPresent()
                && !Files.exists(path.resolve(name).resolve("config.pbtxt")));
  }

  private void warnOfDuplicates() {
    Map<String, Path> first = new HashMap<>();
    wanted.forEach((repository, names) -> {
      for (String name : names) {
        Path other = first.putIfAbsent(name, repository);
        if (other != null) {
          addError(
              repository.resolve(name),
              "model appears in two or more repositories; the other is " + other);
        }
      }
    });
  }

  private void check() {
    Map<String, LintedModel> models = new TreeMap<>();
    wanted.forEach((repository, names) -> {
      for (String name : names) {
        models.put(name, lint.check(new ModelDirectory(repository.resolve(name))));
      }
    });
    addCalled(models);
    new CallerLint(models).check();
    var ofModels = new SharedErrors();
    wanted.forEach((repository, names) -> {
      for (String name : names) {
        LintedModel model = models.get(name);
        if (model != null && model.directory().path().equals(repository.resolve(name))) {
          ofModels.add(name, model.findings().sorted());
        }
        count++;
      }
    });
    findings.addAll(ofModels.all());
  }

  /** Adds the models that they call and that are not to be reported themselves. */
  private void addCalled(Map<String, LintedModel> models) {
    Deque<LintedModel> open = new ArrayDeque<>(models.values());
    while (!open.isEmpty()) {
      for (String called : open.remove().calls()) {
        for (Path repository : wanted.keySet()) {
          if (isName(called)
              && !models.containsKey(called)
              && Files.isDirectory(repository.resolve(called))) {
            Path directory = repository.resolve(called);
            LintedModel model = lint.check(new ModelDirectory(directory));
            models.put(called, model);
            open.add(model);
          }
        }
      }
    }
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && !name.startsWith(".")
        && name.indexOf('/') < 0
        && name.indexOf(0) < 0
        && !IoReason.isByLocale(name);
  }
}
