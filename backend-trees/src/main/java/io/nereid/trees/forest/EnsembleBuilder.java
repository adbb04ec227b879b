package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Puts a model together and checks that its parts fit. */
public final class EnsembleBuilder {
  /** As many outputs may have no tree: each takes memory of an instance. */
  private static final int FEW_OUTPUTS = 1024;

  private final String source;
  private final ForestBuilder forest;
  private int features;
  private List<String> featureNames = List.of();
  private Map<Integer, Categories> stored = Map.of();
  private double[] base = {0};
  private boolean baseFirst;
  private double @org.jspecify.annotations.Nullable [] divisors;
  private @org.jspecify.annotations.Nullable Iterations iterations;
  private Link link = Link.IDENTITY;
  private int classes;
  private int @org.jspecify.annotations.Nullable [] targetAt;
  private boolean predictsClass;

  /**
   * A model of these trees.
   *
   * @param source the format, as in {@code XGBoost 3.2.0}
   */
  public EnsembleBuilder(String source, ForestBuilder forest) {
    this.source = source;
    this.forest = forest;
  }

  /**
   * The values of a row.
   *
   * @param names empty if the file names none
   */
  public EnsembleBuilder features(int count, List<String> names) {
    features = count;
    featureNames = names;
    return this;
  }

  /** The categories of features, as far as the file has them. */
  public EnsembleBuilder categories(Map<Integer, Categories> ofFeatures) {
    stored = ofFeatures;
    return this;
  }

  /**
   * What is added to the sums, one value for each output.
   *
   * @param first whether the sums begin with it; otherwise it is added at the end
   */
  public EnsembleBuilder base(double[] values, boolean first) {
    base = values.clone();
    baseFirst = first;
    return this;
  }

  /** What the sums are divided by, one value for each output. */
  public EnsembleBuilder divisors(double[] values) {
    divisors = values.clone();
    return this;
  }

  /** The iterations that have added the trees; one iteration if there are no other. */
  public EnsembleBuilder iterations(Iterations all) {
    iterations = all;
    return this;
  }

  public EnsembleBuilder link(Link function) {
    link = function;
    return this;
  }

  /** The number of classes; 0 if the model is no classifier. */
  public EnsembleBuilder classes(int count) {
    classes = count;
    return this;
  }

  /** By target: its first output; one more entry than there are targets. */
  public EnsembleBuilder targets(int[] firstOutputs) {
    targetAt = firstOutputs.clone();
    return this;
  }

  /** Whether the library's prediction is the class, as a number. */
  public EnsembleBuilder predictsClass(boolean predicts) {
    predictsClass = predicts;
    return this;
  }

  /**
   * The model.
   *
   * @param rowType the type of its rows, FP32 or FP64
   * @throws MalformedModelException if parts of the file contradict each other
   */
  public Ensemble build(DataType rowType) throws MalformedModelException {
    Forest built = forest.build(rowType);
    int outputs = base.length;
    if (features < 1 || features > ForestBuilder.MAX_FEATURES) {
      throw wrong(
          "it has %d features, which must be from 1 to %d", features, ForestBuilder.MAX_FEATURES);
    }
    int largest = built.features()[built.features().length - 1];
    if (largest >= features) {
      throw wrong("a node uses feature %d, but there are %d features", largest, features);
    }
    if (!featureNames.isEmpty() && featureNames.size() != features) {
      throw wrong("it names %d features, but has %d", featureNames.size(), features);
    }
    if (outputs < 1 || outputs > ForestBuilder.MAX_OUTPUTS) {
      throw wrong(
          "it has %d outputs, which must be from 1 to %d", outputs, ForestBuilder.MAX_OUTPUTS);
    }
    if (outputs > FEW_OUTPUTS && outputs > (long) built.roots().length * built.width()) {
      throw wrong("it has %d outputs, but only %d trees", outputs, built.roots().length);
    }
    if (built.width() > 1 && built.width() != outputs) {
      throw wrong("its leaves have %d values, but it has %d outputs", built.width(), outputs);
    }
    for (int tree = 0; tree < built.groups().length; tree++) {
      int group = built.groups()[tree];
      if (group < 0 || group >= outputs) {
        throw wrong("tree %d adds to output %d, but there are %d", tree, group, outputs);
      }
    }
    Iterations all = iterations;
    if (all == null) {
      all = Iterations.of(new int[] {0, built.roots().length});
    }
    all.check(built.roots().length);
    double[] divided = divisors;
    if (divided == null) {
      divided = new double[outputs];
      Arrays.fill(divided, 1);
    }
    return new Ensemble(
        source,
        new Ensemble.Trees(built, FullTrees.of(built), all, forest.covers()),
        new Ensemble.Features(features, featureNames, stored),
        new Ensemble.Sums(base, baseFirst, divided),
        link,
        new Ensemble.Classes(
            classes, targetAt == null ? new int[] {0, outputs} : targetAt, predictsClass),
        /* offset= */ Double.NaN);
  }

  private static MalformedModelException wrong(String what, Object... arguments) {
    return new MalformedModelException(what.formatted(arguments));
  }
}
