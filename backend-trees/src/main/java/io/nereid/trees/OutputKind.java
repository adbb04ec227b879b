package io.nereid.trees;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
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
  /** The class of the largest probability, as an integer; one for each target. */
  CLASS,
  /** What an isolation forest's {@code score_samples} returns: -1 for the clearest outlier. */
  SCORE_SAMPLES,
  /** Its negative, which the paper on isolation forests, treelite and Triton's FIL backend have. */
  ANOMALY_SCORE;

  /** The kind of that name, in lower case. */
  static Optional<OutputKind> parse(String name) {
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
      case PREDICTION -> model.predictsClass() ? 1 : model.predictsBoth() ? 2 : model.outputs();
      case MARGIN, SCORE_SAMPLES, ANOMALY_SCORE -> model.outputs();
      case PROBABILITIES -> model.outputs() == 1 ? 2 : model.outputs();
      case CLASS -> model.targets();
    };
  }

  /** Whether a model has it. */
  boolean isOf(Ensemble model) {
    return switch (this) {
      case PREDICTION, MARGIN -> !model.isIsolationForest() || !Double.isNaN(model.offset());
      case PROBABILITIES, CLASS -> model.classes() > 0;
      case SCORE_SAMPLES, ANOMALY_SCORE -> model.isIsolationForest();
    };
  }

  boolean accepts(DataType type) {
    return this == CLASS
        ? type == DataType.INT32 || type == DataType.INT64
        : type == DataType.FP32 || type == DataType.FP64;
  }

  /** The types that it can have, for a message. */
  String types() {
    return this == CLASS ? "TYPE_INT32 or TYPE_INT64" : "TYPE_FP32 or TYPE_FP64";
  }

  /** The values of a row, whose margins are {@code values[from]} and those behind it. */
  void write(Ensemble model, double[] values, int from, double[] target) {
    int outputs = model.outputs();
    if (this == MARGIN && !model.isIsolationForest()) {
      System.arraycopy(values, from, target, 0, outputs);
      return;
    }
    // The predictions of the row, in place of its margins.
    System.arraycopy(values, from, target, 0, outputs);
    model.link().apply(target, 0, outputs);
    boolean isClass = this == CLASS || (this == PREDICTION && model.predictsClass());
    if (isClass) {
      int[] targetAt = model.targetAt();
      for (int k = 0; k < model.targets(); k++) {
        int first = targetAt[k];
        target[k] =
            targetAt[k + 1] - first == 1
                ? (target[first] > 0.5 ? 1 : 0)
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
