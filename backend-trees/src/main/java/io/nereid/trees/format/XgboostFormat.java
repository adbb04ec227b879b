package io.nereid.trees.format;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.EnsembleBuilder;
import io.nereid.trees.forest.ForestBuilder;
import io.nereid.trees.forest.Iterations;
import io.nereid.trees.forest.MalformedModelException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * XGBoost's model, as {@code Booster.save_model} writes it in JSON and UBJSON since 1.0. The schema
 * is that of its manual, "Introduction to Model IO".
 */
final class XgboostFormat {
  private final DocumentReader document;
  private final ForestBuilder forest = new ForestBuilder(true);
  private final List<String> featureNames = new ArrayList<>();
  private String version = "";
  private boolean isBefore34 = true;
  private String booster = "";
  private String objective = "";
  private String baseScore = "0.5";
  private int features;
  private int classes;
  private int targets = 1;
  private int[] treeInfo = {};
  private int[] iterationAt = {};
  private int parallelTrees = 1;
  private int bestIteration = -1;

  /**
   * Whether the wrapper for scikit-learn has saved the file; it predicts with the best iteration.
   */
  private boolean isEstimator;

  private float[] treeWeights = {};
  private boolean hasModel;
  private final StoredCategories categories = new StoredCategories();

  private XgboostFormat(DocumentReader document) {
    this.document = document;
  }

  /** Reads a whole document. */
  static Ensemble read(DocumentReader document, DataType rowType) throws IOException {
    var format = new XgboostFormat(document);
    document.object(format::root);
    document.end();
    return format.ensemble(rowType);
  }

  private void root(String name) throws IOException {
    switch (name) {
      case "learner" -> document.object(this::learner);
      case "version" -> {
        int[] numbers = document.ints();
        if (numbers.length <= 4) {
          isBefore34 = Arrays.compare(numbers, new int[] {3, 4}) < 0;
          version =
              " " + String.join(".", Arrays.stream(numbers).mapToObj(Integer::toString).toList());
        }
      }
      case "oblivious_trees", "features_info" ->
          throw new MalformedModelException(TreeFileFormat.CATBOOST);
      case "tree_info" ->
          throw new MalformedModelException(
              "it is a dump of LightGBM; save the model by Booster.save_model");
      default -> document.skip();
    }
  }

  private void learner(String name) throws IOException {
    switch (name) {
      case "gradient_booster" -> document.object(this::booster);
      case "learner_model_param" -> document.object(this::modelParameter);
      case "objective" -> document.object(this::objective);
      case "attributes" -> document.object(this::attribute);
      case "feature_names" -> document.array(() -> featureNames.add(document.text()));
      default -> document.skip();
    }
  }

  private void attribute(String name) throws IOException {
    switch (name) {
      case "best_iteration" -> bestIteration = integer(name, document.text());
      case "scikit_learn" -> {
        isEstimator = true;
        document.skip();
      }
      default -> document.skip();
    }
  }

  private void modelParameter(String name) throws IOException {
    switch (name) {
      case "base_score" -> baseScore = document.text();
      case "num_feature" -> features = integer(name, document.text());
      case "num_class" -> classes = integer(name, document.text());
      case "num_target" -> targets = integer(name, document.text());
      default -> document.skip();
    }
  }

  private void objective(String name) throws IOException {
    if (name.equals("name")) {
      objective = document.text();
    } else {
      document.skip();
    }
  }

  /** {@code gbtree} has a model; {@code dart} has a gbtree, and a weight for each tree. */
  private void booster(String name) throws IOException {
    switch (name) {
      case "name" -> booster = document.text();
      case "gbtree" -> document.object(this::booster);
      case "model" -> document.object(this::model);
      case "weight_drop" -> treeWeights = document.floats();
      default -> document.skip();
    }
  }

  private void model(String name) throws IOException {
    switch (name) {
      case "trees" -> {
        hasModel = true;
        document.array(() -> forest.add(XgboostTree.read(document, forest.trees()), 0));
      }
      case "tree_info" -> treeInfo = document.ints();
      case "iteration_indptr" -> iterationAt = document.ints();
      case "gbtree_model_param" -> document.object(this::treesParameter);
      case "cats" -> document.object(member -> categories.xgboost(document, member));
      default -> document.skip();
    }
  }

  private void treesParameter(String name) throws IOException {
    if (name.equals("num_parallel_tree")) {
      parallelTrees = integer(name, document.text());
    } else {
      document.skip();
    }
  }

  private Ensemble ensemble(DataType rowType) throws MalformedModelException {
    if (booster.equals("gblinear")) {
      throw new MalformedModelException("its booster is 'gblinear', which has no trees");
    }
    if (!hasModel) {
      throw new MalformedModelException("it has no 'trees' of XGBoost");
    }
    if (treeInfo.length != forest.trees()) {
      throw new MalformedModelException(
          "it has %d trees, but a tree_info of %d".formatted(forest.trees(), treeInfo.length));
    }
    if (treeWeights.length > 0) {
      weigh();
    }
    for (int tree = 0; tree < treeInfo.length; tree++) {
      forest.regroup(tree, forest.width() > 1 ? 0 : treeInfo[tree]);
    }
    int outputs = Math.max(1, Math.max(classes, targets));
    var rule = XgboostObjective.of(objective);
    // of several targets each is one of two classes
    boolean hasLabels = rule.isBinary() && outputs > 1;
    int[] targetAt =
        hasLabels ? IntStream.rangeClosed(0, outputs).toArray() : new int[] {0, outputs};
    return new EnsembleBuilder("XGBoost" + version, forest)
        .features(features, featureNames)
        .categories(categories.ofXgboost(isBefore34))
        .base(baseScores(rule, outputs), true)
        .iterations(iterations())
        .link(rule.link())
        .targets(targetAt)
        .classes(rule.isBinary() ? 2 : rule.isMulticlass() ? outputs : 0)
        .predictsClass(rule.predictsClass())
        .build(rowType);
  }

  /** Files of before 2.0 do not list the iterations: each added as many trees. */
  private Iterations iterations() throws MalformedModelException {
    long groups = Arrays.stream(treeInfo).max().orElse(0) + 1L;
    Iterations all =
        iterationAt.length > 0
            ? Iterations.of(iterationAt)
            : Iterations.of(treeInfo.length, parallelTrees * groups);
    return all.withBest(bestIteration, isEstimator);
  }

  private void weigh() throws MalformedModelException {
    if (treeWeights.length != forest.trees() || forest.width() > 1) {
      throw new MalformedModelException(
          "it has %d trees, but a weight_drop of %d".formatted(forest.trees(), treeWeights.length));
    }
    for (int tree = 0; tree < treeWeights.length; tree++) {
      forest.scale(tree, treeWeights[tree]);
    }
  }

  /** One base score, or since 3.1 a list of one or of as many as there are outputs. */
  private double[] baseScores(XgboostObjective rule, int outputs) throws MalformedModelException {
    if (outputs > ForestBuilder.MAX_OUTPUTS) {
      throw new MalformedModelException(
          "it has %d outputs, the most are %d".formatted(outputs, ForestBuilder.MAX_OUTPUTS));
    }
    String list = baseScore.strip();
    if (list.startsWith("[") && list.endsWith("]")) {
      list = list.substring(1, list.length() - 1);
    }
    String[] scores = list.split(",", outputs + 1);
    if (scores.length != 1 && scores.length != outputs) {
      throw new MalformedModelException(
          "its base_score has %d values, but it has %d outputs".formatted(scores.length, outputs));
    }
    double[] margins = new double[outputs];
    for (int k = 0; k < outputs; k++) {
      margins[k] = rule.margin(score(scores[scores.length == 1 ? 0 : k]));
    }
    return margins;
  }

  private static float score(String text) throws MalformedModelException {
    try {
      return Float.parseFloat(text.strip());
    } catch (NumberFormatException _) {
      throw new MalformedModelException("its base_score '%s' is no number".formatted(text));
    }
  }

  /** A number that XGBoost writes as a text. */
  static int integer(String name, String text) throws MalformedModelException {
    try {
      int value = Integer.parseInt(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException _) {
      // as for a negative number
    }
    throw new MalformedModelException(
        "its %s must be an integer of at least 0, got '%s'".formatted(name, text));
  }
}
