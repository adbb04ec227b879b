package io.nereid.engine.model.config;

import io.nereid.engine.file.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A file of a model that a library has written for itself, and no backend reads. */
final class ForeignFile {
  private static final String PICKLE =
      "a pickle of Python, which no backend reads: save XGBoost's and LightGBM's models by"
          + " save_model, and convert scikit-learn's by treelite or skl2onnx";

  /** What it is and what helps, by the end of its name. */
  private static final Map<String, String> BY_ENDING =
      Map.of(
          ".pkl", PICKLE,
          ".pickle", PICKLE,
          ".joblib", PICKLE,
          ".cbm", "CatBoost's own format, which no backend reads: save_model(…, format='onnx')");

  private ForeignFile() {}

  /** A sentence about the first such file of a model's first version; empty if it has none. */
  static String in(ModelDirectory directory) {
    return directory.firstVersionDirectory().map(ForeignFile::entries).orElse(List.of()).stream()
        .map(entry -> entry.getFileName().toString())
        .flatMap(name -> said(name).stream())
        .findFirst()
        .orElse("");
  }

  private static Optional<String> said(String name) {
    return BY_ENDING.entrySet().stream()
        .filter(each -> name.endsWith(each.getKey()))
        .findFirst()
        .map(each -> " '%s' is %s.".formatted(name, each.getValue()));
  }

  private static List<Path> entries(Path folder) {
    try {
      return FileTree.list(folder);
    } catch (IOException _) {
      return List.of();
    }
  }
}
