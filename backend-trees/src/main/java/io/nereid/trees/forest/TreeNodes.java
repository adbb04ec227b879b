package io.nereid.trees.forest;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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
    /** Left if the value is at most the bound. */
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
  final double[] bounds;
  final boolean[] missingLeft;
  final CategorySet[] sets;
  final double[] values;

  /** The training rows of each node, or their weight; empty if the file does not say. */
  double[] covers = {};

  private @Nullable LinearLeaf @Nullable [] linear;
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
    bounds = new double[nodes];
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

  /** Makes a leaf a linear function, whose value above is that of rows that lack a feature. */
  public void linear(int node, LinearLeaf function) {
    if (linear == null) {
      linear = new LinearLeaf[size()];
    }
    linear[node] = function;
  }

  @Nullable LinearLeaf linear(int node) {
    return linear == null ? null : linear[node];
  }

  /** The children of a node that is no leaf, and where a missing value goes. */
  public void children(int node, int leftChild, int rightChild, boolean missing) {
    left[node] = leftChild;
    right[node] = rightChild;
    missingLeft[node] = missing;
  }

  /**
   * A node that sends a value to the left if it is at most a bound.
   *
   * @param bound NaN if no value is
   */
  public void bound(int node, int feature, double bound) {
    rules[node] = Rule.BOUND;
    features[node] = feature;
    bounds[node] = bound;
  }

  /** A {@link #bound} for which values up to 1e-35 from 0 are missing too. */
  public void boundWhereZeroIsMissing(int node, int feature, double bound) {
    bound(node, feature, bound);
    rules[node] = Rule.BOUND_ZERO_MISSING;
  }

  /** The bound of values that are less than a threshold: the largest of them. */
  public static double below(double threshold) {
    return threshold == Double.NEGATIVE_INFINITY ? Double.NaN : Math.nextDown(threshold);
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
