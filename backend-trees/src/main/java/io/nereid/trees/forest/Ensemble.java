package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model: its trees, and how their sums become predictions. Immutable; any thread may read it.
 *
 * @param source the format, as in {@code XGBoost 3.2.0}
 * @param offset of an isolation forest, scikit-learn's {@code offset_}; NaN if it is not known, as
 *     no file has it
 */
public record Ensemble(
    String source,
    Trees trees,
    Features features,
    Sums sums,
    Link link,
    Classes classes,
    double offset) {
  /**
   * The trees.
   *
   * @param full the shallow trees of {@code forest} in another form
   * @param iterations which of the trees predictions use
   * @param covers by node: its training rows, or their weight; empty if the file does not say, or
   *     they are not needed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Trees(Forest forest, FullTrees full, Iterations iterations, double[] covers) {
    /** The number of trees, used or not. */
    public int count() {
      return forest.roots().length;
    }
  }

  /**
   * The values of a row.
   *
   * @param names empty if the file names none
   * @param stored by feature: its categories, as far as the file has them
   */
  public record Features(int count, List<String> names, Map<Integer, Categories> stored) {
    public Features {
      names = List.copyOf(names);
      stored = Map.copyOf(stored);
    }

    /** The categories of a feature; empty if its values are numbers for the trees. */
    public Optional<Categories> categories(int feature) {
      return Optional.ofNullable(stored.get(feature));
    }
  }

  /**
   * What is done to the sums of a row, the outputs.
   *
   * @param base by output: what is added to the sums
   * @param baseFirst whether the sums begin with {@code base}; otherwise it is added at the end
   * @param divisors by output: what the sums are divided by
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Sums(double[] base, boolean baseFirst, double[] divisors) {
    /** What a sum begins with. */
    double first(int output) {
      return baseFirst ? base[output] : 0;
    }

    /** What is added to a sum at the end. */
    double last(int output) {
      return baseFirst ? 0 : base[output];
    }
  }

  /**
   * The classes of a classifier.
   *
   * @param count 0 if the model is no classifier. With one output, the prediction is the
   *     probability of class 1 of two
   * @param targetAt by target: its first output; one more entry than there are targets. A
   *     classifier has a class for each target, whose outputs are those of its classes
   * @param arePredicted whether the library's prediction is the class, as a number
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Classes(int count, int[] targetAt, boolean arePredicted) {
    /** The number of targets, each with outputs of its own. */
    public int targets() {
      return targetAt.length - 1;
    }
  }

  /** The number of sums of a row. */
  public int outputs() {
    return sums.base().length;
  }

  /** The same model without the training rows of nodes, which predictions do not need. */
  public Ensemble withoutCovers() {
    return with(trees.iterations(), new double[0], link, offset);
  }

  /**
   * This model with the trees of some of its iterations alone.
   *
   * @param begin the first, from 0
   * @param end the one behind the last, above {@code begin} and at most as many as there are
   */
  public Ensemble withIterations(int begin, int end) {
    Iterations all = trees.iterations();
    if (begin < 0 || begin >= end || end > all.count()) {
      throw new IllegalArgumentException(
          "iterations %d to %d of %d".formatted(begin, end, all.count()));
    }
    Link ofUsed = link.averages() ? link.ofAverage(end - begin) : link;
    return with(all.used(begin, end), trees.covers(), ofUsed, offset);
  }

  /** This isolation forest with its offset. */
  public Ensemble withOffset(double known) {
    return with(trees.iterations(), trees.covers(), link, known);
  }

  private Ensemble with(Iterations used, double[] covers, Link function, double known) {
    var same = new Trees(trees.forest(), trees.full(), used, covers);
    return new Ensemble(source, same, features, sums, function, classes, known);
  }

  /**
   * Whether the library predicts the probabilities of both classes, which one output tells, as
   * scikit-learn does; it adds the base score at the end.
   */
  public boolean predictsBoth() {
    return classes.count() == 2 && outputs() == 1 && !sums.baseFirst() && !isSingle();
  }

  /** Whether the trees isolate rows, whose depth is the margin. */
  public boolean isIsolationForest() {
    return link.kind() == Link.Kind.EXP2_RATIO;
  }

  /** Whether predictions are floats in the library too; otherwise they are doubles. */
  public boolean isSingle() {
    return trees.forest().isSingle();
  }

  /** The type of the values of rows, FP32 or FP64. */
  public DataType rowType() {
    return trees.forest().rowType();
  }

  /**
   * Whether the library compares doubles, so that rows of FP32 have its answers for floats only.
   */
  public boolean comparesDoubles() {
    return trees.forest().comparesDoubles();
  }

  /** The memory that it takes, in bytes. */
  public long byteSize() {
    return trees.forest().byteSize() + trees.full().byteSize() + 8L * trees.covers().length;
  }
}
