package io.nereid.trees;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.trees.forest.Ensemble;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What an output of a model contains. */
enum OutputKind {
  /**
   * What the library's {@code predict} returns. Of scikit-learn's classifiers the probability of
   * each class, of its isolation forests 1, or -1 for an outlier.
   */
  PREDICTION,
  /** The sums of the trees and the base score; scikit-learn's {@code decision_function}. */
  MARGIN,
  /** The probability of each class, also of both of a binary classifier. */
  PROBABILITIES,
  /** The class of the largest probability; one for each target. */
  CLASS,
  /** What an isolation forest's {@code score_samples} returns: -1 for the clearest outlier. */
  SCORE_SAMPLES,
  /** Its negative, which the paper on isolation forests, treelite and Triton's FIL backend have. */
  ANOMALY_SCORE,
  /**
   * By margin, what each feature contributes to it, and last the expected margin: the sum is the
   * margin. Of an isolation forest the mean depth of the row takes the place of the margin.
   */
  CONTRIBUTIONS;

  /** The kind of that name, in lower case, or of the name that FIL has for it. */
  static Optional<OutputKind> parse(String name) {
    if (name.equals(FilParameters.CONTRIBUTIONS)) {
      return Optional.of(CONTRIBUTIONS);
    }
    for (OutputKind kind : values()) {
      if (kind.text().equals(name)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The number of values of a row. */
  int width(Ensemble model) {
    return switch (this) {
      case PREDICTION ->
          model.classes().arePredicted() ? 1 : model.predictsBoth() ? 2 : model.outputs();
      case MARGIN, SCORE_SAMPLES, ANOMALY_SCORE -> model.outputs();
      case PROBABILITIES -> model.outputs() == 1 ? 2 : model.outputs();
      case CLASS -> model.classes().targets();
      case CONTRIBUTIONS -> Math.multiplyExact(model.outputs(), model.features().count() + 1);
    };
  }

  /**
   * The shapes that the values of a row can have, the usual one first. One value of a prediction of
   * both classes is that of class 1.
   */
  List<Shape> shapes(Ensemble model) {
    Shape flat = Shape.of(width(model));
    if (this == PREDICTION && model.predictsBoth()) {
      return List.of(flat, Shape.of(1));
    }
    return this == CONTRIBUTIONS && model.outputs() > 1
        ? List.of(Shape.of(model.outputs(), model.features().count() + 1), flat)
        : List.of(flat);
  }

  /**
   * Whether a model has it.
   *
   * @param isClassifier whether a configuration says that the model is a classifier, so that its
   *     only output is compared with a threshold
   */
  boolean isOf(Ensemble model, boolean isClassifier) {
    return switch (this) {
      case PREDICTION, MARGIN -> !model.isIsolationForest() || !Double.isNaN(model.offset());
      case PROBABILITIES -> model.classes().count() > 0;
      case CLASS -> model.classes().count() > 0 || (isClassifier && model.outputs() == 1);
      case SCORE_SAMPLES, ANOMALY_SCORE -> model.isIsolationForest();
      case CONTRIBUTIONS -> true;
    };
  }

  /** What a model lacks that does not have it, for a message. */
  String lacking() {
    return switch (this) {
      case PREDICTION, MARGIN ->
          "which needs the parameter '%s' with the offset_ of the isolation forest: -0.5 unless its"
                  .formatted(TreesFile.OFFSET)
              + " contamination was given";
      case PROBABILITIES, CLASS -> "but the model is no classifier";
      case SCORE_SAMPLES, ANOMALY_SCORE -> "but the model is no isolation forest";
      case CONTRIBUTIONS -> throw new IllegalStateException(name());
    };
  }

  boolean accepts(DataType type) {
    return type == DataType.FP32
        || type == DataType.FP64
        || (this == CLASS && (type == DataType.INT32 || type == DataType.INT64));
  }

  /** The types that it can have, for a message. */
  String types() {
    return this == CLASS
        ? "TYPE_INT32, TYPE_INT64, TYPE_FP32 or TYPE_FP64"
        : "TYPE_FP32 or TYPE_FP64";
  }

  /**
   * The values of a row, whose margins are {@code values[from]} and those behind it; not of {@link
   * #CONTRIBUTIONS}.
   *
   * @param threshold a prediction above it is of class 1 of two
   */
  void write(Ensemble model, double threshold, double[] values, int from, double[] target) {
    int outputs = model.outputs();
    if (this == MARGIN && !model.isIsolationForest()) {
      System.arraycopy(values, from, target, 0, outputs);
      return;
    }
    // The predictions of the row, in place of its margins.
    System.arraycopy(values, from, target, 0, outputs);
    model.link().apply(target, 0, outputs);
    boolean isClass = this == CLASS || (this == PREDICTION && model.classes().arePredicted());
    if (isClass) {
      double limit = model.isSingle() ? (float) threshold : threshold;
      int[] targetAt = model.classes().targetAt();
      for (int k = 0; k < model.classes().targets(); k++) {
        int first = targetAt[k];
        target[k] =
            targetAt[k + 1] - first == 1
                ? (target[first] > limit ? 1 : 0)
                : indexOfLargest(target, first, targetAt[k + 1]);
      }
    } else if (outputs == 1 && (this == PROBABILITIES || model.predictsBoth())) {
      target[1] = target[0];
      target[0] = model.isSingle() ? 1 - (float) target[1] : 1 - target[1];
    } else if (model.isIsolationForest() && this != ANOMALY_SCORE) {
      double score = -target[0];
      target[0] =
          switch (this) {
            case SCORE_SAMPLES -> score;
            case MARGIN -> score - model.offset();
            default -> score - model.offset() < 0 ? -1 : 1;
          };
    }
  }

  /** Counted from {@code from}. */
  private static int indexOfLargest(double[] values, int from, int to) {
    int largest = from;
    for (int i = from + 1; i < to; i++) {
      if (values[i] > values[largest]) {
        largest = i;
      }
    }
    return largest - from;
  }
}
