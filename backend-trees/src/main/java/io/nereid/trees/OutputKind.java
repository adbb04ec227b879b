package io.nereid.trees;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.trees.forest.Ensemble;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What an output of a model contains. */
enum OutputKind {
  /** What the library's {@code predict} returns. */
  PREDICTION,
  /** The sums of the trees and the base score. */
  MARGIN,
  /** The probability of each class, also of both of a binary classifier. */
  PROBABILITIES,
  /** The class of the largest probability. */
  CLASS,
  /**
   * By margin, what each feature contributes to it, and last the expected margin: the sum is the
   * margin.
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
      case PREDICTION -> model.predictsClass() ? 1 : model.outputs();
      case MARGIN -> model.outputs();
      case PROBABILITIES -> model.classes();
      case CLASS -> 1;
      case CONTRIBUTIONS -> Math.multiplyExact(model.outputs(), model.features() + 1);
    };
  }

  /** The shapes that the values of a row can have, the usual one first. */
  List<Shape> shapes(Ensemble model) {
    Shape flat = Shape.of(width(model));
    return this == CONTRIBUTIONS && model.outputs() > 1
        ? List.of(Shape.of(model.outputs(), model.features() + 1), flat)
        : List.of(flat);
  }

  /**
   * Whether a model has it.
   *
   * @param isClassifier whether a configuration says that the model is a classifier, so that its
   *     only output is compared with a threshold
   */
  boolean isOf(Ensemble model, boolean isClassifier) {
    return this == PREDICTION
        || this == MARGIN
        || this == CONTRIBUTIONS
        || model.classes() > 0
        || (this == CLASS && isClassifier && model.outputs() == 1);
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
    if (this == MARGIN) {
      System.arraycopy(values, from, target, 0, outputs);
      return;
    }
    // The predictions of the row, in place of its margins.
    System.arraycopy(values, from, target, 0, outputs);
    model.link().apply(target, 0, outputs);
    boolean isClass = this == CLASS || (this == PREDICTION && model.predictsClass());
    if (isClass) {
      double limit = model.isSingle() ? (float) threshold : threshold;
      target[0] = outputs == 1 ? (target[0] > limit ? 1 : 0) : indexOfLargest(target, outputs);
    } else if (this == PROBABILITIES && outputs == 1) {
      target[1] = target[0];
      target[0] = model.isSingle() ? 1 - (float) target[1] : 1 - target[1];
    }
  }

  private static int indexOfLargest(double[] values, int count) {
    int largest = 0;
    for (int i = 1; i < count; i++) {
      if (values[i] > values[largest]) {
        largest = i;
      }
    }
    return largest;
  }
}
