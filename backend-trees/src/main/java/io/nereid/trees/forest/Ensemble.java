package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model: its trees, and how their sums become predictions. Immutable; any thread may read it.
 *
 * @param source the format, as in {@code XGBoost 3.2.0}
 * @param features the number of values in a row
 * @param full the shallow trees of {@code forest} in another form
 * @param iterations which of the trees predictions use
 * @param outputs the number of sums of a row
 * @param base by output: what is added to the sums
 * @param baseFirst whether the sums begin with {@code base}; otherwise it is added at the end
 * @param divisors by output: what the sums are divided by
 * @param classes the number of classes; 0 if the model is no classifier. With one output, the
 *     prediction is the probability of class 1 of two
 * @param targetAt by target: its first output; one more entry than there are targets. A classifier
 *     has a class for each target, whose outputs are those of its classes
 * @param predictsClass whether the library's prediction is the class, as a number
 * @param offset of an isolation forest, scikit-learn's {@code offset_}; NaN if it is not known, as
 *     no file has it
 * @param featureNames empty if the file names none
 * @param stored by feature: its categories, as far as the file has them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Ensemble(
    String source,
    Forest forest,
    FullTrees full,
    Iterations iterations,
    int features,
    int outputs,
    double[] base,
    boolean baseFirst,
    double[] divisors,
    Link link,
    int classes,
    int[] targetAt,
    boolean predictsClass,
    double offset,
    List<String> featureNames,
    Map<Integer, Categories> stored) {
  public Ensemble {
    featureNames = List.copyOf(featureNames);
    stored = Map.copyOf(stored);
  }

  /** The categories of a feature; empty if its values are numbers for the trees. */
  public Optional<Categories> categories(int feature) {
    return Optional.ofNullable(stored.get(feature));
  }

  /** The same model without the training rows of nodes, which predictions do not need. */
  public Ensemble withoutCovers() {
    return with(forest.withoutCovers(), iterations, link, offset);
  }

  /**
   * This model with the trees of some of its iterations alone.
   *
   * @param begin the first, from 0
   * @param end the one behind the last, above {@code begin} and at most as many as there are
   */
  public Ensemble withIterations(int begin, int end) {
    if (begin < 0 || begin >= end || end > iterations.count()) {
      throw new IllegalArgumentException(
          "iterations %d to %d of %d".formatted(begin, end, iterations.count()));
    }
    Link ofUsed = link.averages() ? link.ofAverage(end - begin) : link;
    return with(forest, iterations.used(begin, end), ofUsed, offset);
  }

  /** This isolation forest with its offset. */
  public Ensemble withOffset(double known) {
    return with(forest, iterations, link, known);
  }

  private Ensemble with(Forest trees, Iterations used, Link function, double known) {
    return new Ensemble(
        source,
        trees,
        full,
        used,
        features,
        outputs,
        base,
        baseFirst,
        divisors,
        function,
        classes,
        targetAt,
        predictsClass,
        known,
        featureNames,
        stored);
  }

  /** The number of targets, each with outputs of its own. */
  public int targets() {
    return targetAt.length - 1;
  }

  /**
   * Whether the library predicts the probabilities of both classes, which one output tells, as
   * scikit-learn does; it adds the base score at the end.
   */
  public boolean predictsBoth() {
    return classes == 2 && outputs == 1 && !baseFirst && !isSingle();
  }

  /** Whether the trees isolate rows, whose depth is the margin. */
  public boolean isIsolationForest() {
    return link.kind() == Link.Kind.EXP2_RATIO;
  }

  /** The number of trees, used or not. */
  public int trees() {
    return forest.roots().length;
  }

  /** Whether predictions are floats in the library too; otherwise they are doubles. */
  public boolean isSingle() {
    return forest.isSingle();
  }

  /** The type of the values of rows, FP32 or FP64. */
  public DataType rowType() {
    return forest.rowType();
  }

  /** Whether rows of FP32 would lose what the trees tell apart. */
  public boolean needsDoubles() {
    return forest.needsDoubles();
  }

  /** The memory that it takes, in bytes. */
  public long byteSize() {
    return forest.byteSize() + full.byteSize();
  }
}
