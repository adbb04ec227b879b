package io.nereid.engine.model.config;

import io.nereid.engine.file.FileTree;
import io.nereid.engine.model.repository.DirectoryContents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A file of a model by whose name no backend is known, and what to do with it. */
final class UnknownFile {
  private static final String PICKLE =
      "a pickle of Python, which no backend reads: save XGBoost's and LightGBM's models by"
          + " save_model, and convert scikit-learn's by treelite or skl2onnx";

  /** What no backend reads, and what helps, by the end of its name. */
  private static final Map<String, String> FOREIGN =
      Map.of(
          ".pkl", PICKLE,
          ".pickle", PICKLE,
          ".joblib", PICKLE,
          ".cbm", "CatBoost's own format, which no backend reads: save_model(…, format='onnx')");

  /** The backends of files by the ends of their names. */
  private static final Map<String, String> BACKENDS =
      Map.of(
          ".onnx", "onnxruntime",
          ".plan", "tensorrt",
          ".json", "trees",
          ".ubj", "trees",
          ".txt", "trees",
          ".tl", "trees");

  private UnknownFile() {}

  /** A sentence about such a file of a model's first version, behind another one. */
  static String in(ModelDirectory directory) {
    List<String> names =
        directory.firstVersionDirectory().map(UnknownFile::files).orElse(List.of());
    Path model = directory.path().toAbsolutePath().normalize().getParent();
    if (names.isEmpty()
        && model != null
        && DirectoryContents.version(directory.name()).isPresent()) {
      return " %s.".formatted(ModelDirectory.noRepository(model));
    }
    if (names.isEmpty()) {
      return files(directory.path()).stream()
          .filter(name -> at(BACKENDS, name).isPresent())
          .findFirst()
          .map(" There is no file in a directory of a version: move '%s' into '1/'."::formatted)
          .orElse(" There is no file in a directory of a version, such as 1/model.onnx.");
    }
    return names.stream()
        .flatMap(
            name -> at(FOREIGN, name).map(what -> " '%s' is %s.".formatted(name, what)).stream())
        .findFirst()
        .orElseGet(() -> {
          String likely =
              names.stream()
                  .filter(name -> at(BACKENDS, name).isPresent())
                  .findFirst()
                  .orElse(names.getFirst());
          return " Found '%s': %s.".formatted(likely, cure(likely));
        });
  }

  /** What to write for a file. */
  static String cure(String file) {
    String ending = file.substring(Math.max(0, file.lastIndexOf('.')));
    return at(BACKENDS, file)
        .map(backend ->
            "name it model%s, or write backend: \"%s\" default_model_filename: \"%s\" into config.pbtxt"
                .formatted(ending, backend, file))
        .orElse("write backend and default_model_filename into config.pbtxt");
  }

  private static Optional<String> at(Map<String, String> byEnding, String name) {
    return byEnding.entrySet().stream()
        .filter(each -> name.endsWith(each.getKey()))
        .findFirst()
        .map(Map.Entry::getValue);
  }

  /** The names of the files in a directory. */
  private static List<String> files(Path folder) {
    try {
      return FileTree.list(folder).stream()
          .filter(Files::isRegularFile)
          .map(file -> file.getFileName().toString())
          .toList();
    } catch (IOException _) {
      return List.of();
    }
  }
}
