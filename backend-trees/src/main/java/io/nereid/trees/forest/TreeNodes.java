package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * One tree as a file describes it, by the file's numbers of its nodes; node 0 is the root. {@link
 * ForestBuilder#add} checks the links.
 */
public final class TreeNodes {
  /** The child of a leaf. */
  private static final int NONE = -1;

  /** How a node decides. */
  enum Rule {
    LEAF,
    /** Left if the key of the value is less than the bound. */
    BOUND,
    /** As {@link #BOUND}, and values up to 1e-35 from 0 are missing. */
    BOUND_ZERO_MISSING,
    /** Left if the value, rounded towards 0, is a category of the set. */
    CATEGORY,
    /** As {@link #CATEGORY}, but no value below 0 is a category. */
    CATEGORY_FROM_ZERO
  }

  final Rule[] rules;
  final int[] left;
  final int[] right;
  final int[] features;
  final int[] bounds;
  final boolean[] missingLeft;
  final CategorySet[] sets;
  final double[] values;

  /** The training rows of each node, or their weight; empty if the file does not say. */
  double[] covers = {};

  final int width;

  /**
   * A tree of leaves with the value 0.
   *
   * @param width the number of values of each leaf
   */
  public TreeNodes(int nodes, int width) {
    this.width = width;
    rules = new Rule[nodes];
    Arrays.fill(rules, Rule.LEAF);
    left = new int[nodes];
    right = new int[nodes];
    Arrays.fill(left, NONE);
    Arrays.fill(right, NONE);
    features = new int[nodes];
    bounds = new int[nodes];
    missingLeft = new boolean[nodes];
    sets = new CategorySet[nodes];
    Arrays.fill(sets, CategorySet.EMPTY);
    values = new double[Math.multiplyExact(nodes, width)];
  }

  /** The number of nodes, of which some may not be reachable. */
  public int size() {
    return left.length;
  }

  /** Makes a node a leaf with one of its values. */
  public void leaf(int node, int at, double value) {
    values[node * width + at] = value;
  }

  /** The training rows of each node, or their weight; dropped if there are not as many as nodes. */
  public void covers(double[] ofNodes) {
    covers = ofNodes.length == size() ? ofNodes : new double[0];
  }

  /** The children of a node that is no leaf, and where a missing value goes. */
  public void children(int node, int leftChild, int rightChild, boolean missing) {
    left[node] = leftChild;
    right[node] = rightChild;
    missingLeft[node] = missing;
  }

  /** A node that sends a value to the left if its {@linkplain FloatKeys key} is below a bound. */
  public void bound(int node, int feature, int bound) {
    rules[node] = Rule.BOUND;
    features[node] = feature;
    bounds[node] = bound;
  }

  /** A {@link #bound} for which values up to 1e-35 from 0 are missing too. */
  public void boundWhereZeroIsMissing(int node, int feature, int bound) {
    bound(node, feature, bound);
    rules[node] = Rule.BOUND_ZERO_MISSING;
  }

  /**
   * A node that sends the categories of a set to the left.
   *
   * @param fromZero whether -0.5 is no category; otherwise it is category 0
   */
  public void category(int node, int feature, CategorySet set, boolean fromZero) {
    rules[node] = fromZero ? Rule.CATEGORY_FROM_ZERO : Rule.CATEGORY;
    features[node] = feature;
    sets[node] = set;
  }
}
