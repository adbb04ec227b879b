package io.nereid.engine.model.config;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.model.config.validation.ModelFormat;
import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The model file of a bare directory: found by its name, unless the configuration names it, and
 * with it the backend. What is ambiguous is refused.
 *
 * <pre>{@code
 * /mnt/models/resnet.onnx         default_model_filename: "resnet.onnx"  backend: "onnxruntime"
 * /mnt/models/resnet.onnx.data    a file of the same version
 * /mnt/models/config.pbtxt        optional, as in a directory with versions
 * }</pre>
 */
final class BareModel {
  /** The backends by the ends of their files' names, which users choose. */
  private static final Map<String, String> BY_ENDING =
      Map.of(
          ".onnx", "onnxruntime",
          ".plan", "tensorrt",
          ".ubj", "trees",
          ".bst", "trees",
          ".tl", "trees");

  private static final String EXPECTED =
      "*.onnx, *.plan, *.ubj, *.bst, *.tl, model.json, model.txt, or config.json with"
          + " tokenizer.json";

  private BareModel() {}

  /**
   * Adds the model file and its backend to a configuration that names neither.
   *
   * @throws InferenceException if there is no such file, there are several, or there are
   *     directories of versions or of models
   */
  static ModelConfig withFile(ModelConfig config, ModelDirectory directory) {
    List<Path> entries = directory.entries();
    for (Path entry : entries) {
      if (isLayout(entry)) {
        throw InferenceException.invalid(
            ("model '%s': --model-name is for a model file without directories of models or"
                    + " versions, but '%s' has '%s'")
                .formatted(directory.name(), directory.path(), entry.getFileName()));
      }
    }
    ModelConfig.Builder named = config.toBuilder();
    Optional<String> backend = backend(config);
    if (config.getDefaultModelFilename().isEmpty()) {
      if (backend.isEmpty() && ModelFormat.isText(directory.path())) {
        return named.setBackend(ModelFormat.TEXT).build();
      }
      if (backend.isPresent() && !BY_ENDING.containsValue(backend.get())) {
        return config; // the backend finds its file
      }
      named.setDefaultModelFilename(only(files(entries, backend), backend, directory));
    }
    if (backend.isEmpty()) {
      backendOf(named.getDefaultModelFilename()).ifPresent(named::setBackend);
    }
    return named.build();
  }

  private static Optional<String> backend(ModelConfig config) {
    if (!config.getBackend().isEmpty()) {
      return Optional.of(config.getBackend());
    }
    if (config.getPlatform().equals(ModelFormat.ENSEMBLE)) {
      return Optional.of(ModelFormat.ENSEMBLE);
    }
    return ModelFormat.detect(config.getPlatform(), "", Optional.empty()).map(ModelFormat::backend);
  }

  private static Optional<String> backendOf(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    return ModelFormat.finderOf(name)
        .or(() -> Optional.ofNullable(BY_ENDING.get(dot < 0 ? "" : name.substring(dot))));
  }

  /** The names of files that may be the model of a backend, or of any. */
  private static List<String> files(List<Path> entries, Optional<String> backend) {
    return entries.stream()
        .filter(Files::isRegularFile)
        .map(entry -> entry.getFileName().toString())
        .filter(name ->
            backendOf(name).filter(found -> backend.orElse(found).equals(found)).isPresent())
        .toList();
  }

  private static String only(
      List<String> files, Optional<String> backend, ModelDirectory directory) {
    if (files.size() == 1) {
      return files.getFirst();
    }
    throw InferenceException.invalid(
        files.isEmpty()
            ? "model '%s': '%s' has no model file%s, expected one of %s%s"
                .formatted(
                    directory.name(),
                    directory.path(),
                    backend.map(name -> " for backend '" + name + "'").orElse(""),
                    EXPECTED,
                    backend.isPresent() ? "" : ", or a config.pbtxt that names the backend")
            : "model '%s': '%s' has %s: default_model_filename in config.pbtxt must name one"
                .formatted(directory.name(), directory.path(), String.join(" and ", files)));
  }

  /** Whether an entry is the directory of a version, or of a model with versions. */
  private static boolean isLayout(Path entry) {
    if (!Files.isDirectory(entry)) {
      return false;
    }
    String name = entry.getFileName().toString();
    return isVersion(name)
        || (!ModelDirectory.OTHER_DIRECTORIES.contains(name)
            && (Files.exists(entry.resolve("config.pbtxt")) || hasVersions(entry)));
  }

  private static boolean hasVersions(Path directory) {
    try {
      return FileTree.list(directory).stream()
          .filter(entry -> isVersion(entry.getFileName().toString()))
          .anyMatch(Files::isDirectory);
    } catch (IOException _) {
      return false; // such as lost+found
    }
  }

  private static boolean isVersion(String name) {
    return DirectoryContents.version(name).isPresent();
  }
}
