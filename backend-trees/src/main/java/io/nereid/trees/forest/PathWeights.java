package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * What contributions of features need of the trees beside their nodes: for each node, and the edge
 * that leads to it, the share of the training rows. A feature that decides several times on a path
 * counts as one: the edge of a later decision takes the place of the earlier one. Immutable.
 *
 * @param same by inner node: the node at the end of the last edge above it that the same feature
 *     decides; {@link #NONE} if there is none
 * @param share by node: of the training rows that the decisions of its edge's feature let through,
 *     all on the path to it together; above 0
 * @param points by tree: of the {@link Quadrature} that is exact for its paths
 * @param means by tree and value of a leaf: the mean of the training rows
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record PathWeights(int[] same, double[] share, int[] points, double[] means) {
  static final int NONE = -1;

  /** Deeper trees take too long. */
  private static final int MAX_DEPTH = 1024;

  /** In place of 0, so that quotients of products are numbers. */
  private static final double NO_SHARE = 1e-300;

  /**
   * Computes them.
   *
   * @throws MalformedModelException if leaves are linear functions, the file has no training rows
   *     of nodes, or trees are too deep
   */
  public static PathWeights of(Ensemble model) throws MalformedModelException {
    Forest forest = model.trees().forest();
    double[] covers = model.trees().covers();
    if (forest.linear().length > 0) {
      throw new MalformedModelException(
          "its leaves are linear functions (linear_tree), for which there are no contributions");
    }
    if (covers.length != forest.nodes().length) {
      throw new MalformedModelException(
          "it does not say how many training rows reach each node, which contributions need");
    }
    int nodes = covers.length;
    int[] same = new int[nodes];
    double[] share = new double[nodes];
    int[] points = new int[model.trees().count()];
    double[] means = new double[points.length * forest.width()];
    int[] parent = new int[nodes];
    int[] depth = new int[nodes];
    int[] different = new int[nodes];
    double[] reach = new double[nodes];
    Arrays.fill(same, NONE);
    for (int tree = 0; tree < points.length; tree++) {
      int root = forest.roots()[tree];
      int end = forest.end(tree);
      reach[root] = 1;
      share[root] = 1;
      parent[root] = NONE;
      int longest = 1;
      for (int node = root; node < end; node++) {
        int second = forest.second()[node];
        if (second == node) {
          addLeaf(forest, tree, node, reach[node], means);
          continue;
        }
        if (depth[node] == MAX_DEPTH) {
          throw new MalformedModelException(
              "tree %d is deeper than %d nodes, too deep for contributions"
                  .formatted(tree, MAX_DEPTH));
        }
        same[node] = sameAbove(forest, parent, node);
        for (int child = second - 1; child <= second; child++) {
          double ratio = covers[node] > 0 ? covers[child] / covers[node] : 0;
          parent[child] = node;
          depth[child] = depth[node] + 1;
          different[child] = different[node] + (same[node] == NONE ? 1 : 0);
          reach[child] = reach[node] * ratio;
          double above = same[node] == NONE ? 1 : share[same[node]];
          share[child] = Math.max(NO_SHARE, above * ratio);
          longest = Math.max(longest, different[child]);
        }
      }
      points[tree] = (longest + 1) / 2;
    }
    return new PathWeights(same, share, points, means);
  }

  private static int sameAbove(Forest forest, int[] parent, int node) {
    int feature = forest.featureIndex(node);
    for (int at = node; parent[at] != NONE; at = parent[at]) {
      if (forest.featureIndex(parent[at]) == feature) {
        return at;
      }
    }
    return NONE;
  }

  private static void addLeaf(Forest forest, int tree, int leaf, double reach, double[] means) {
    int width = forest.width();
    int from = width == 1 ? leaf : forest.leafAt()[leaf];
    for (int k = 0; k < width; k++) {
      means[tree * width + k] += reach * forest.value(from + k);
    }
  }

  /** The memory that it takes, in bytes. */
  public long byteSize() {
    return 4L * (same.length + points.length) + 8L * (share.length + means.length);
  }
}
