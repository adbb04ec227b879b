package io.nereid.trees.format;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.EnsembleBuilder;
import io.nereid.trees.forest.ForestBuilder;
import io.nereid.trees.forest.Link;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Treelite's checkpoint, as {@code Model.serialize} writes it since 4.1: the fields of its manual's
 * "Treelite Serialization Format v4", one after the other, little-endian. scikit-learn's forests
 * come in it.
 */
final class TreeliteFormat {
  /** Of {@code TypeInfo}. */
  private static final int FLOAT32 = 2;

  private static final int FLOAT64 = 3;

  /** Of {@code TaskType}. */
  private static final int BINARY = 0;

  private static final int MULTICLASS = 2;

  private static final double EULER = 0.5772156649015329;

  private final ByteSource source;
  private boolean isSingle;
  private int features;
  private int task;
  private boolean isAveraged;
  private int targets;
  private int[] classCounts = {};

  /** The classes of each target in the file, those that a target lacks included. */
  private int classes;

  private int width;

  /** By target and class in the file: the output, of which each target has those of its classes. */
  private int[] columns = {};

  private int[] targetAt = {};
  private int[] targetIds = {};
  private int[] classIds = {};
  private Link link = Link.IDENTITY;
  private double[] base = {};

  private TreeliteFormat(ByteSource source) {
    this.source = source;
  }

  static Ensemble read(ByteSource source, DataType rowType) throws IOException {
    return new TreeliteFormat(source).model(rowType);
  }

  private Ensemble model(DataType rowType) throws IOException {
    int major = source.int32();
    int minor = source.int32();
    int patch = source.int32();
    if (major != 4 || minor < 1) {
      throw new MalformedModelException(
          "it is of treelite %d.%d.%d, which must be from 4.1 to 4".formatted(major, minor, patch));
    }
    int thresholds = source.int8();
    int leaves = source.int8();
    if (thresholds != leaves || (thresholds != FLOAT32 && thresholds != FLOAT64)) {
      throw new MalformedModelException(
          "its thresholds have type %d and its leaves type %d, which must both be 2 or 3"
              .formatted(thresholds, leaves));
    }
    isSingle = thresholds == FLOAT32;
    int trees = source.count(source.int64(), 1);
    header();
    if (targetIds.length != trees || classIds.length != trees) {
      throw new MalformedModelException(
          "it has %d trees, but %d target_id and %d class_id"
              .formatted(trees, targetIds.length, classIds.length));
    }
    noOptionalFields();
    var forest = new ForestBuilder(isSingle);
    boolean hasWeights = false;
    for (int number = 0; number < trees; number++) {
      var tree = new TreeliteTree(source, number, isSingle, width > 1 ? columns : new int[1]);
      forest.add(tree.read(), group(number));
      hasWeights |= tree.hasWeights();
      noOptionalFields();
      noOptionalFields();
    }
    if (source.peek() != ByteSource.END) {
      throw source.failure("is behind the last tree");
    }
    // scikit-learn rounds the rows of its forests to floats, except for histogram boosting, whose
    // nodes have no weights
    forest.comparesDoubles(!isSingle && !hasWeights);
    int outputs = targetAt[targets];
    return new EnsembleBuilder("treelite %d.%d.%d".formatted(major, minor, patch), forest)
        .features(features, List.of())
        .base(base, false)
        .divisors(divisors(outputs))
        .link(link)
        .classes(task == BINARY && outputs == 1 ? 2 : isClassifier() ? classes : 0)
        .targets(isClassifier() ? targetAt : new int[] {0, outputs})
        .build(rowType);
  }

  private boolean isClassifier() {
    return classes > 1 && (task == BINARY || task == MULTICLASS);
  }

  private void header() throws IOException {
    features = source.int32();
    task = source.int8();
    isAveraged = source.int8() != 0;
    targets = source.int32();
    classCounts = ints();
    int[] shape = ints();
    if (targets < 1 || classCounts.length != targets || shape.length != 2) {
      throw new MalformedModelException(
          "it has %d targets, %d num_class, a leaf_vector_shape of %d dimensions"
              .formatted(targets, classCounts.length, shape.length));
    }
    for (int count : classCounts) {
      classes = Math.max(classes, count);
    }
    if (classes < 1 || (long) targets * classes > ForestBuilder.MAX_OUTPUTS) {
      throw new MalformedModelException(
          "it has %d targets of %d classes, the most outputs are %d"
              .formatted(targets, classes, ForestBuilder.MAX_OUTPUTS));
    }
    long values = (long) shape[0] * shape[1];
    if (values != 1 && values != (long) targets * classes) {
      throw new MalformedModelException(
          "its leaves have %d values, but it has %d outputs".formatted(values, targets * classes));
    }
    width = (int) values;
    targetIds = ints();
    classIds = ints();
    String function = source.text(source.int64());
    float sigmoidAlpha = source.float32();
    float ratio = source.float32();
    link = link(function, sigmoidAlpha, ratio);
    if (targets > 1 && link.kind() == Link.Kind.SOFTMAX) {
      throw new MalformedModelException(
          "it has a softmax of %d targets, which must be 1".formatted(targets));
    }
    placeColumns();
    int scores = source.count(source.int64(), Double.BYTES);
    if (scores != columns.length) {
      throw new MalformedModelException(
          "it has %d base_scores, but %d outputs".formatted(scores, columns.length));
    }
    base = new double[targetAt[targets]];
    for (int column : columns) {
      double score = source.float64();
      if (column >= 0) {
        base[column] = score;
      }
    }
    source.skip(source.int64()); // attributes
  }

  private void placeColumns() throws MalformedModelException {
    columns = new int[targets * classes];
    Arrays.fill(columns, TreeliteTree.DROPPED);
    targetAt = new int[targets + 1];
    for (int target = 0; target < targets; target++) {
      if (classCounts[target] < 1) {
        throw new MalformedModelException(
            "its target %d has %d classes".formatted(target, classCounts[target]));
      }
      targetAt[target + 1] = targetAt[target] + classCounts[target];
      for (int k = 0; k < classCounts[target]; k++) {
        columns[target * classes + k] = targetAt[target] + k;
      }
    }
  }

  private static Link link(String function, float sigmoidAlpha, float ratio)
      throws MalformedModelException {
    return switch (function) {
      case "identity", "identity_multiclass" -> Link.IDENTITY;
      case "signed_square" -> Link.of(Link.Kind.SIGNED_SQUARE);
      case "hinge" -> Link.of(Link.Kind.HINGE);
      case "sigmoid", "multiclass_ova" -> Link.of(Link.Kind.SIGMOID, sigmoidAlpha);
      case "exponential" -> Link.of(Link.Kind.EXP);
      case "exponential_standard_ratio" -> Link.of(Link.Kind.EXP2_RATIO, expectedDepth(ratio));
      case "logarithm_one_plus_exp" -> Link.of(Link.Kind.LOG_ONE_PLUS_EXP);
      case "softmax" -> Link.of(Link.Kind.SOFTMAX);
      default ->
          throw new MalformedModelException(
              "its postprocessor '%s' is unknown".formatted(function.strip()));
    };
  }

  /**
   * The expected depth of a row in an isolation forest, of which the file has a float: it is a
   * function of the number of rows that each tree was trained with.
   */
  private static double expectedDepth(float ratio) {
    int low = 3;
    int high = 1 << 24;
    while (low < high) {
      int rows = (low + high) >>> 1;
      if ((float) expectedDepth(rows) < ratio) {
        low = rows + 1;
      } else {
        high = rows;
      }
    }
    double depth = expectedDepth(low);
    return (float) depth == ratio ? depth : ratio;
  }

  /** As scikit-learn computes it. */
  private static double expectedDepth(int rows) {
    return 2 * (Math.log(rows - 1.0) + EULER) - 2 * (rows - 1.0) / rows;
  }

  private int group(int tree) {
    int target = Math.max(0, targetIds[tree]);
    int type = Math.max(0, classIds[tree]);
    if (width > 1) {
      return 0;
    }
    return target < targets && type < classes
        ? columns[target * classes + type]
        : TreeliteTree.DROPPED;
  }

  /** The number of trees that add to each output, if sums are averaged. */
  private double[] divisors(int outputs) {
    double[] divisors = new double[outputs];
    for (int tree = 0; tree < targetIds.length && isAveraged; tree++) {
      if (width > 1) {
        Arrays.fill(divisors, tree + 1);
      } else if (group(tree) >= 0) {
        divisors[group(tree)]++;
      }
    }
    for (int k = 0; k < outputs; k++) {
      divisors[k] = Math.max(1, divisors[k]);
    }
    return divisors;
  }

  private int[] ints() throws IOException {
    int[] values = new int[source.count(source.int64(), Integer.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = source.int32();
    }
    return values;
  }

  private void noOptionalFields() throws IOException {
    int fields = source.int32();
    if (fields != 0) {
      throw source.failure(
          "follows a count of %d optional fields, which are unknown".formatted(fields));
    }
  }
}
