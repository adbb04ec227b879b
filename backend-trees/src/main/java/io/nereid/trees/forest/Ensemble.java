package io.nereid.trees.forest;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A model: its trees, and how their sums become predictions. Immutable; any thread may read it.
 *
 * @param source the format, as in {@code XGBoost 3.2.0}
 * @param features the number of values in a row
 * @param outputs the number of sums of a row
 * @param base by output: what is added to the sums
 * @param baseFirst whether the sums begin with {@code base}; otherwise it is added at the end
 * @param divisors by output: what the sums are divided by
 * @param classes the number of classes; 0 if the model is no classifier. With one output, the
 *     prediction is the probability of class 1 of two
 * @param predictsClass whether the library's prediction is the class, as a number
 * @param featureNames empty if the file names none
 * @param stored by feature: its categories, as far as the file has them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Ensemble(
    String source,
    Forest forest,
    int features,
    int outputs,
    double[] base,
    boolean baseFirst,
    double[] divisors,
    Link link,
    int classes,
    boolean predictsClass,
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
    return new Ensemble(
        source,
        forest.withoutCovers(),
        features,
        outputs,
        base,
        baseFirst,
        divisors,
        link,
        classes,
        predictsClass,
        featureNames,
        stored);
  }

  /** The number of trees. */
  public int trees() {
    return forest.roots().length;
  }

  /** Whether predictions are floats in the library too; otherwise they are doubles. */
  public boolean isSingle() {
    return forest.isSingle();
  }

  /** The memory that it takes, in bytes. */
  public long byteSize() {
    return forest.byteSize();
  }
}
