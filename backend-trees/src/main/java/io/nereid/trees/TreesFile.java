package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import io.nereid.error.StatusCode;
import io.nereid.spi.ModelFiles;
import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.MalformedModelException;
import io.nereid.trees.forest.PathWeights;
import io.nereid.trees.format.TreeFileFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The file of a model version, which is read as its configuration says. */
record TreesFile(ModelConfig config, Path path) {
  /** The parameter with the {@code offset_} of an isolation forest. */
  static final String OFFSET = "offset";

  /** Where a configuration names no file. */
  private static final List<String> NAMES =
      List.of(
          "model.json",
          "model.ubj",
          "model.txt",
          "model.tl",
          "xgboost.json",
          "xgboost.ubj",
          "xgboost.model",
          "checkpoint.tl");

  /**
   * Finds the file that the configuration names in the version directory, that of its {@code
   * model_type}, or the one of {@link #NAMES} that is there.
   *
   * @throws InferenceException UNAVAILABLE if there is none, INVALID_ARGUMENT if it is outside the
   *     model's directory or there are two
   */
  static TreesFile of(ModelFiles files, ModelConfig config) {
    String name = config.defaultModelFilename();
    if (!name.isEmpty()) {
      Path path = files.file(name);
      if (!Files.isRegularFile(path)) {
        throw missing("'%s'".formatted(path), config);
      }
      return new TreesFile(config, path);
    }
    Optional<String> ofType = FilParameters.file(config);
    if (ofType.isPresent() && Files.isRegularFile(files.file(ofType.get()))) {
      return new TreesFile(config, files.file(ofType.get()));
    }
    List<String> found =
        NAMES.stream().filter(each -> Files.isRegularFile(files.file(each))).toList();
    if (found.isEmpty()) {
      throw missing(
          "%s in '%s'".formatted(String.join(", ", NAMES), files.versionDirectory()), config);
    }
    if (found.size() > 1) {
      throw InferenceException.invalid(
          "model '%s' has %s in '%s': default_model_filename must name one"
              .formatted(config.name(), String.join(" and ", found), files.versionDirectory()));
    }
    return new TreesFile(config, files.file(found.getFirst()));
  }

  private static InferenceException missing(String what, ModelConfig config) {
    return InferenceException.unavailable(
        "unable to find %s for model '%s'".formatted(what, config.name()));
  }

  /**
   * Reads the file. The model uses the iterations that the configuration says.
   *
   * @throws InferenceException INVALID_ARGUMENT if it is no model that can be served, or not as the
   *     configuration says; UNAVAILABLE if it cannot be read
   */
  Ensemble read() {
    DataType rowType = rowType();
    try {
      Ensemble model = TreeFileFormat.read(path, rowType);
      return withOffset(IterationRange.configured(model, config.parameters()));
    } catch (MalformedModelException malformed) {
      throw new InferenceException(StatusCode.INVALID_ARGUMENT, failed(malformed.getMessage()));
    } catch (InferenceException other) {
      throw new InferenceException(other.code(), failed(other.getMessage()));
    } catch (IOException unreadable) {
      throw new InferenceException(StatusCode.UNAVAILABLE, failed(IoReason.of(unreadable)));
    }
  }

  /**
   * What contributions need of a model of this file.
   *
   * @throws InferenceException INVALID_ARGUMENT if the file does not have it
   */
  PathWeights paths(Ensemble model) {
    try {
      return PathWeights.of(model);
    } catch (MalformedModelException lacking) {
      throw new InferenceException(StatusCode.INVALID_ARGUMENT, failed(lacking.getMessage()));
    }
  }

  private Ensemble withOffset(Ensemble model) {
    String stated = config.parameters().get(OFFSET);
    if (stated == null) {
      return model;
    }
    if (!model.isIsolationForest()) {
      throw InferenceException.invalid(
          "the parameter '%s' is of isolation forests, which this is not".formatted(OFFSET));
    }
    try {
      return model.withOffset(Double.parseDouble(stated));
    } catch (NumberFormatException _) {
      throw InferenceException.invalid(
          "the parameter '%s' must be a number, got '%s'".formatted(OFFSET, stated));
    }
  }

  /** Columns, which may have several types, make rows of FP64. */
  private DataType rowType() {
    boolean isDouble =
        !config.inputs().isEmpty() && config.inputs().getFirst().dataType() == DataType.FP64;
    return isDouble || FeatureColumns.areInputs(config) ? DataType.FP64 : DataType.FP32;
  }

  private String failed(String reason) {
    return "failed to load model '%s' from '%s': %s".formatted(config.name(), path, reason);
  }
}
