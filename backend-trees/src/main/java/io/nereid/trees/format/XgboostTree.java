package io.nereid.trees.format;

import io.nereid.trees.forest.CategorySet;
import io.nereid.trees.forest.ForestBuilder;
import io.nereid.trees.forest.MalformedModelException;
import io.nereid.trees.forest.TreeNodes;
import java.io.IOException;
import java.util.Arrays;

/** One element of XGBoost's {@code trees}: arrays by node, and sets of categories beside them. */
final class XgboostTree {
  /** In {@code split_type}. */
  private static final int CATEGORICAL = 1;

  private static final int LEAF = -1;

  private static final int[] NO_INTS = {};

  private final int number;
  private int width = 1;
  private int[] left = NO_INTS;
  private int[] right = NO_INTS;
  private int[] features = NO_INTS;
  private int[] defaultLeft = NO_INTS;
  private int[] splitTypes = NO_INTS;
  private float[] conditions = {};
  private float[] baseWeights = {};
  private float[] leafWeights = {};
  private float[] covers = {};
  private int[] categories = NO_INTS;
  private int[] categoryNodes = NO_INTS;
  private int[] categorySegments = NO_INTS;
  private int[] categorySizes = NO_INTS;

  private XgboostTree(int number) {
    this.number = number;
  }

  /** Reads one tree. */
  static TreeNodes read(DocumentReader document, int number) throws IOException {
    var tree = new XgboostTree(number);
    document.object(name -> tree.member(document, name));
    return tree.nodes();
  }

  private void member(DocumentReader document, String name) throws IOException {
    switch (name) {
      case "left_children" -> left = document.ints();
      case "right_children" -> right = document.ints();
      case "split_indices" -> features = document.ints();
      case "split_conditions" -> conditions = document.floats();
      case "default_left" -> defaultLeft = document.ints();
      case "split_type" -> splitTypes = document.ints();
      case "base_weights" -> baseWeights = document.floats();
      case "sum_hessian" -> covers = document.floats();
      case "leaf_weights" -> leafWeights = document.floats();
      case "categories" -> categories = document.ints();
      case "categories_nodes" -> categoryNodes = document.ints();
      case "categories_segments" -> categorySegments = document.ints();
      case "categories_sizes" -> categorySizes = document.ints();
      case "tree_param" ->
          document.object(parameter -> {
            if (parameter.equals("size_leaf_vector")) {
              width = Math.max(1, XgboostFormat.integer(parameter, document.text()));
            } else {
              document.skip();
            }
          });
      default -> document.skip();
    }
  }

  private TreeNodes nodes() throws MalformedModelException {
    require("right_children", right.length);
    require("split_indices", features.length);
    require("split_conditions", conditions.length);
    require("default_left", defaultLeft.length);
    if (splitTypes.length > 0) {
      require("split_type", splitTypes.length);
    }
    CategorySet[] sets = sets();
    if (width > ForestBuilder.MAX_OUTPUTS) {
      throw wrong("has leaves of %d values, the most are %d", width, ForestBuilder.MAX_OUTPUTS);
    }
    if (width > 1 && leafWeights.length == 0 && (long) left.length * width != baseWeights.length) {
      throw wrong(
          "has %d nodes of %d values, but %d values", left.length, width, baseWeights.length);
    }
    if (leafWeights.length > 0 && (left.length / 2 + 1L) * width != leafWeights.length) {
      throw wrong(
          "has %d values in leaves of %d, but %d nodes", leafWeights.length, width, left.length);
    }
    var nodes = new TreeNodes(left.length, width);
    for (int node = 0; node < left.length; node++) {
      if (left[node] == LEAF) {
        leaf(nodes, node);
      } else {
        split(nodes, node, sets[node]);
      }
    }
    double[] rows = new double[covers.length];
    Arrays.setAll(rows, node -> covers[node]);
    nodes.covers(rows);
    return nodes;
  }

  private void leaf(TreeNodes nodes, int node) throws MalformedModelException {
    if (width == 1) {
      nodes.leaf(node, 0, conditions[node]);
      return;
    }
    // Of trees with vectors, newer versions write those of leaves alone: the right child is the
    // number of the leaf.
    boolean isDense = leafWeights.length == 0;
    float[] weights = isDense ? baseWeights : leafWeights;
    int vector = isDense ? node : right[node];
    if (vector < 0 || (vector + 1L) * width > weights.length) {
      throw wrong("has no values for its leaf %d", node);
    }
    for (int k = 0; k < width; k++) {
      nodes.leaf(node, k, weights[vector * width + k]);
    }
  }

  /** Values below the condition go to the left, categories of the set to the right. */
  private void split(TreeNodes nodes, int node, CategorySet set) throws MalformedModelException {
    boolean missingLeft = defaultLeft[node] != 0;
    if (splitTypes.length > 0 && splitTypes[node] == CATEGORICAL) {
      nodes.children(node, right[node], left[node], !missingLeft);
      nodes.category(node, features[node], set, true);
      return;
    }
    if (Float.isNaN(conditions[node])) {
      throw wrong("splits at NaN in node %d", node);
    }
    nodes.children(node, left[node], right[node], missingLeft);
    nodes.bound(node, features[node], TreeNodes.below(conditions[node]));
  }

  /** The set of each node; empty for nodes without one. */
  private CategorySet[] sets() throws MalformedModelException {
    var sets = new CategorySet[left.length];
    Arrays.fill(sets, CategorySet.EMPTY);
    if (categorySegments.length != categoryNodes.length
        || categorySizes.length != categoryNodes.length) {
      throw wrong(
          "has %d nodes with categories, %d segments, %d sizes",
          categoryNodes.length, categorySegments.length, categorySizes.length);
    }
    long taken = 0;
    for (int i = 0; i < categoryNodes.length; i++) {
      int node = categoryNodes[i];
      long end = (long) categorySegments[i] + categorySizes[i];
      taken += categorySizes[i];
      if (node < 0
          || node >= sets.length
          || categorySegments[i] < 0
          || categorySizes[i] < 0
          || end > categories.length
          || taken > categories.length) {
        throw wrong("has categories of node %d outside of its %d", node, categories.length);
      }
      sets[node] = CategorySet.of(number, categories, categorySegments[i], (int) end);
    }
    return sets;
  }

  private void require(String array, int length) throws MalformedModelException {
    if (length != left.length) {
      throw wrong("has %d left_children, but %d %s", left.length, length, array);
    }
  }

  private MalformedModelException wrong(String what, Object... arguments) {
    return new MalformedModelException("tree %d ".formatted(number) + what.formatted(arguments));
  }
}
