package io.nereid.trees.forest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The contributions of features to the margins of rows: Shapley values, where a feature that is
 * left out is replaced by the training rows of each node (path-dependent TreeSHAP). One thread at a
 * time.
 *
 * <p>On the path to a leaf of value {@code v}, let feature {@code j} of {@code m} have the share
 * {@code z_j} of the training rows, and {@code o_j = 1} if the row follows the path there, else 0.
 * A sum over the orders of the features is an integral, since {@code k! (m-1-k)! / m!} is that of
 * {@code t^k (1-t)^(m-1-k)} from 0 to 1. So the contribution of feature {@code i} is
 *
 * <pre>
 * v (o_i - z_i) ∫ Π_(j≠i) f_j dt,  f_j = t o_j + (1-t) z_j
 * </pre>
 *
 * <p>The integrand is a polynomial of degree {@code m-1}, so {@code (m+1)/2} points of a {@link
 * Quadrature} give it exactly, and all terms are positive. The products of {@code f} are made from
 * the root downwards; their sums over the leaves below an edge, divided by the edge's {@code f},
 * from the leaves upwards (Linear TreeSHAP, Yu et al. 2022, with other points). Where a feature
 * decides again below, its edge there has replaced the edge's, and what that adds is subtracted.
 */
public final class ForestShap {
  private static final int MAX_ROWS = 32;

  /** The most values of a block, so that it stays in a cache. */
  private static final int BLOCK_VALUES = 1 << 15;

  private final Ensemble model;
  private final Forest forest;
  private final PathWeights weights;
  private final ForestWalk walk;
  private final List<Quadrature> rules = new ArrayList<>();
  private final int maxRows;

  /** By node of a tree, point and row: the products of {@code f}, and sums over leaves. */
  private double[][] products = {};

  private double[][] sums = {};

  /** By node of a tree and row: {@code o} of its edge. */
  private float[][] follows = {};

  private final double[] edge;

  /** By output, used feature and row. */
  private final double[] contributions;

  /**
   * Contributions of the rows of a walk.
   *
   * @param walk whose block of rows is explained
   */
  public ForestShap(Ensemble model, PathWeights weights, ForestWalk walk) {
    this.model = model;
    this.weights = weights;
    this.walk = walk;
    forest = model.trees().forest();
    int largest = 1;
    int most = 1;
    for (int tree = 0; tree < model.trees().count(); tree++) {
      int size = forest.end(tree) - forest.roots()[tree];
      largest = Math.max(largest, size * weights.points()[tree]);
      most = Math.max(most, weights.points()[tree]);
    }
    int perRow = Math.max(largest, model.outputs() * forest.features().length);
    maxRows = Math.clamp(BLOCK_VALUES / perRow, 1, MAX_ROWS);
    for (int size = 1; size <= most; size++) {
      rules.add(Quadrature.of(size));
    }
    edge = new double[maxRows];
    contributions = new double[model.outputs() * forest.features().length * maxRows];
  }

  /** The number of rows that are explained at a time. */
  public int maxRows() {
    return maxRows;
  }

  /**
   * Computes the contributions of rows.
   *
   * @param used the model with the iterations that are explained
   * @param first in the block that the walk has computed the margins of
   * @param rows at most {@link #maxRows}
   * @param target where values are put
   */
  public void contributions(Ensemble used, int first, int rows, ContributionSink target) {
    Iterations iterations = used.trees().iterations();
    Arrays.fill(contributions, 0);
    for (int tree = iterations.firstTree(); tree < iterations.endTree(); tree++) {
      Quadrature rule = rules.get(weights.points()[tree] - 1);
      int size = forest.end(tree) - forest.roots()[tree];
      reserve(size, rule.size() * rows, rows);
      down(tree, rule, first, rows);
      for (int k = 0; k < forest.width(); k++) {
        up(tree, rule, rows, k, forest.groups()[tree] + k);
      }
    }
    put(rows, expected(iterations), target);
  }

  /** A receiver of values. */
  @FunctionalInterface
  public interface ContributionSink {
    /**
     * Takes one value; those of features that no tree uses are 0 and are not given.
     *
     * @param row from 0
     * @param feature the number of features for the expected margin
     */
    void put(int row, int output, int feature, double value);
  }

  private void reserve(int nodes, int values, int rows) {
    if (products.length < nodes) {
      int from = products.length;
      products = Arrays.copyOf(products, nodes);
      sums = Arrays.copyOf(sums, nodes);
      follows = Arrays.copyOf(follows, nodes);
      for (int node = from; node < nodes; node++) {
        products[node] = new double[values];
        sums[node] = new double[values];
        follows[node] = new float[rows];
      }
    }
    for (int node = 0; node < nodes; node++) {
      if (products[node].length < values) {
        products[node] = new double[values];
        sums[node] = new double[values];
      }
      if (follows[node].length < rows) {
        follows[node] = new float[rows];
      }
    }
  }

  /** The products on the paths to all nodes, for each point and row. */
  private void down(int tree, Quadrature rule, int first, int rows) {
    int root = forest.roots()[tree];
    int end = forest.end(tree);
    Arrays.fill(products[0], 0, rule.size() * rows, 1);
    for (int node = root; node < end; node++) {
      int second = forest.second()[node];
      if (second == node) {
        continue;
      }
      float[] ofFirst = follows[second - 1 - root];
      float[] ofSecond = follows[second - root];
      int same = weights.same()[node];
      for (int row = 0; row < rows; row++) {
        float above = same == PathWeights.NONE ? 1 : follows[same - root][row];
        boolean isFirst = walk.isFirst(tree, node, first + row);
        ofFirst[row] = isFirst ? above : 0;
        ofSecond[row] = isFirst ? 0 : above;
      }
      for (int child = second - 1; child <= second; child++) {
        multiply(child, same, node, root, rule, rows);
      }
    }
  }

  private void multiply(int child, int same, int node, int root, Quadrature rule, int rows) {
    double[] source = products[node - root];
    double[] target = products[child - root];
    float[] follow = follows[child - root];
    double share = weights.share()[child];
    for (int q = 0; q < rule.size(); q++) {
      double t = rule.points()[q];
      double rest = (1 - t) * share;
      int from = q * rows;
      for (int row = 0; row < rows; row++) {
        target[from + row] = source[from + row] * (rest + t * follow[row]);
      }
      if (same != PathWeights.NONE) {
        divide(target, from, follows[same - root], (1 - t) * weights.share()[same], t, rows);
      }
    }
  }

  /** Divides by {@code f} of the edge that another one replaces. */
  private static void divide(
      double[] target, int from, float[] follow, double rest, double t, int rows) {
    double without = 1 / rest;
    double with = 1 / (rest + t);
    for (int row = 0; row < rows; row++) {
      target[from + row] *= with * follow[row] + without * (1 - follow[row]);
    }
  }

  /** The sums over leaves, and what each edge adds to the contribution of its feature. */
  private void up(int tree, Quadrature rule, int rows, int value, int output) {
    int root = forest.roots()[tree];
    for (int node = forest.end(tree) - 1; node >= root; node--) {
      int second = forest.second()[node];
      double[] sum = sums[node - root];
      if (second == node) {
        int at = forest.width() == 1 ? node : forest.leafAt()[node];
        double leaf = forest.value(at + value);
        double[] product = products[node - root];
        for (int q = 0; q < rule.size(); q++) {
          double weight = leaf * rule.weights()[q];
          for (int i = q * rows; i < (q + 1) * rows; i++) {
            sum[i] = weight * product[i];
          }
        }
        continue;
      }
      double[] firstSum = sums[second - 1 - root];
      double[] secondSum = sums[second - root];
      for (int i = 0; i < rule.size() * rows; i++) {
        sum[i] = firstSum[i] + secondSum[i];
      }
      Arrays.fill(edge, 0, rows, 0);
      add(firstSum, second - 1, root, rule, rows, 1);
      add(secondSum, second, root, rule, rows, 1);
      if (weights.same()[node] != PathWeights.NONE) {
        add(sum, weights.same()[node], root, rule, rows, -1);
      }
      int at = (output * forest.features().length + forest.featureIndex(node)) * maxRows;
      for (int row = 0; row < rows; row++) {
        contributions[at + row] += edge[row];
      }
    }
  }

  /** Adds {@code sign (o - z) sum / f} of the edge to a node, over all points. */
  private void add(double[] sum, int node, int root, Quadrature rule, int rows, double sign) {
    double share = weights.share()[node];
    float[] follow = follows[node - root];
    for (int q = 0; q < rule.size(); q++) {
      double t = rule.points()[q];
      double without = -sign / (1 - t); // (0 - z) / ((1 - t) z)
      double change = sign * (1 - share) / (t + (1 - t) * share) - without;
      int from = q * rows;
      for (int row = 0; row < rows; row++) {
        edge[row] += sum[from + row] * (without + follow[row] * change);
      }
    }
  }

  private void put(int rows, double[] expected, ContributionSink target) {
    int[] used = forest.features();
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < model.outputs(); k++) {
        for (int i = 0; i < used.length; i++) {
          double sum = contributions[(k * used.length + i) * maxRows + row];
          target.put(row, k, used[i], sum / model.sums().divisors()[k]);
        }
        target.put(row, k, model.features().count(), expected[k]);
      }
    }
  }

  /** By output: the mean of the margins of the training rows. */
  private double[] expected(Iterations iterations) {
    int width = forest.width();
    double[] expected = new double[model.outputs()];
    for (int tree = iterations.firstTree(); tree < iterations.endTree(); tree++) {
      for (int k = 0; k < width; k++) {
        expected[forest.groups()[tree] + k] += weights.means()[tree * width + k];
      }
    }
    for (int k = 0; k < expected.length; k++) {
      expected[k] = expected[k] / model.sums().divisors()[k] + model.sums().base()[k];
    }
    return expected;
  }
}
