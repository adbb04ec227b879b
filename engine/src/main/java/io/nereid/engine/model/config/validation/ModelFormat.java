package io.nereid.engine.model.config.validation;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The formats of model files whose backend, platform and file name Triton defines, in the order of
 * detection for a model that names no backend. The server need not have a backend for each.
 */
public enum ModelFormat {
  TENSORFLOW_SAVEDMODEL("tensorflow", "tensorflow_savedmodel", "model.savedmodel"),
  TENSORFLOW_GRAPHDEF("tensorflow", "tensorflow_graphdef", "model.graphdef"),
  TENSORRT("tensorrt", "tensorrt_plan", "model.plan"),
  ONNX("onnxruntime", "onnxruntime_onnx", "model.onnx"),
  OPENVINO("openvino", "", "model.xml"),
  PYTORCH("pytorch", "pytorch_libtorch", "model.pt"),
  /** Another spelling of {@link #PYTORCH}. */
  LIBTORCH("pytorch", "libtorch", "model.pt"),
  TORCH_AOTI("pytorch", "torch_aoti", "model.pt2"),
  PYTHON("python", "", "model.py");

  /** The platform of an ensemble, which has no file. */
  public static final String ENSEMBLE = "ensemble";

  /** Usual names of files whose backend finds its file itself. */
  private static final Map<String, String> FOUND_BY_BACKEND =
      Map.of(
          "model.json", "trees",
          "model.ubj", "trees",
          "model.txt", "trees",
          "model.tl", "trees",
          "xgboost.json", "trees",
          "xgboost.ubj", "trees",
          "xgboost.model", "trees",
          "checkpoint.tl", "trees");

  /** The backend of folders as Hugging Face lays them out. */
  public static final String TEXT = "text";

  private static final List<String> TEXT_FILES = List.of("config.json", "tokenizer.json");

  private final String backend;
  private final String platform;
  private final String filename;

  ModelFormat(String backend, String platform, String filename) {
    this.backend = backend;
    this.platform = platform;
    this.filename = filename;
  }

  /** The value of {@code backend:}. */
  public String backend() {
    return backend;
  }

  /** The value of {@code platform:}; empty if the backend has none. */
  public String platform() {
    return platform;
  }

  /** The default name of the file or directory in the version directory. */
  public String filename() {
    return filename;
  }

  /** The format of a model that names no backend: by platform, file name, or existing file. */
  public static Optional<ModelFormat> detect(
      String platform, String filename, Optional<Path> versionDirectory) {
    return find(values(), platform, filename, versionDirectory);
  }

  /**
   * The format of a model of a backend: detected in the same way, else the backend's first. Empty
   * if the backend has none.
   */
  public static Optional<ModelFormat> of(
      String backend, String platform, String filename, Optional<Path> versionDirectory) {
    ModelFormat[] formats = ofBackend(backend).toArray(ModelFormat[]::new);
    return find(formats, platform, filename, versionDirectory)
        .or(() -> Arrays.stream(formats).findFirst());
  }

  /** The backend that finds a file of that name itself. */
  public static Optional<String> finderOf(String filename) {
    return Optional.ofNullable(FOUND_BY_BACKEND.get(filename));
  }

  /** The backend that finds its file in a version directory itself. */
  public static Optional<String> finderIn(Path versionDirectory) {
    return FOUND_BY_BACKEND.keySet().stream()
        .filter(name -> Files.exists(versionDirectory.resolve(name)))
        .findFirst()
        .map(FOUND_BY_BACKEND::get);
  }

  /**
   * Whether a version is a folder as Hugging Face lays it out, whose graph may be of any format.
   */
  public static boolean isText(Path versionDirectory) {
    return TEXT_FILES.stream().allMatch(name -> Files.exists(versionDirectory.resolve(name)));
  }

  /** Whether a model of the backend may name the platform. */
  public static boolean pairs(String backend, String platform) {
    return ofBackend(backend).findAny().isEmpty()
        || ofBackend(backend)
            .anyMatch(format -> format.platform.isEmpty() || format.platform.equals(platform));
  }

  /** Whether the models of a backend are files of a known name. */
  public static boolean needsFile(String backend) {
    return ofBackend(backend).findAny().isPresent();
  }

  private static Optional<ModelFormat> find(
      ModelFormat[] formats, String platform, String filename, Optional<Path> versionDirectory) {
    return first(formats, format -> !platform.isEmpty() && format.platform.equals(platform))
        .or(() -> first(formats, format -> format.filename.equals(filename)))
        .or(() ->
            versionDirectory.flatMap(directory ->
                first(formats, format -> Files.exists(directory.resolve(format.filename)))));
  }

  private static Optional<ModelFormat> first(
      ModelFormat[] formats, Predicate<ModelFormat> condition) {
    return Arrays.stream(formats).filter(condition).findFirst();
  }

  private static Stream<ModelFormat> ofBackend(String backend) {
    return Arrays.stream(values()).filter(format -> format.backend.equals(backend));
  }
}
