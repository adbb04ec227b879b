package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * The shallow trees of a forest once more, each with all nodes that its depth allows, so that the
 * children of a node need no link and every row takes as many steps. With the root as node 1 the
 * children of node {@code i} are {@code 2 i} and {@code 2 i + 1}. A leaf above the lowest level
 * gives its value to all leaves below it.
 *
 * @param nodes as {@link Forest#nodes}
 * @param singles the values of leaves from left to right, if they are floats
 * @param doubles the same, if they are doubles
 * @param depth by tree: the number of its steps; -1 for a tree that is not here
 * @param nodeAt by tree: where its nodes begin in {@code nodes}, less one
 * @param valueAt by tree: where its values begin, less the number of its leaves
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FullTrees(
    long[] nodes, float[] singles, double[] doubles, byte[] depth, int[] nodeAt, int[] valueAt) {
  private static final int MAX_DEPTH = 8;

  /** A tree with fewer leaves than one of so many places would be mostly stand-ins. */
  private static final int MOST_PLACES = 4;

  private static final int MAX_VALUES = 1 << 29;

  /** The trees of a forest that only compare, have a value in each leaf, and are shallow. */
  static FullTrees of(Forest forest) {
    int trees = forest.roots().length;
    byte[] depth = new byte[trees];
    int[] nodeAt = new int[trees];
    int[] valueAt = new int[trees];
    int nodes = 0;
    int values = 0;
    for (int tree = 0; tree < trees; tree++) {
      int steps = steps(forest, tree);
      boolean fits = steps >= 0 && values <= MAX_VALUES - (1 << steps);
      depth[tree] = (byte) (fits ? steps : -1);
      if (fits) {
        nodeAt[tree] = nodes - 1;
        valueAt[tree] = values - (1 << steps);
        nodes += (1 << steps) - 1;
        values += 1 << steps;
      }
    }
    float[] singles = new float[forest.isSingle() ? values : 0];
    double[] doubles = new double[forest.isSingle() ? 0 : values];
    var full = new FullTrees(new long[nodes], singles, doubles, depth, nodeAt, valueAt);
    for (int tree = 0; tree < trees; tree++) {
      if (depth[tree] >= 0) {
        full.place(forest, tree, forest.roots()[tree], 1, depth[tree]);
      }
    }
    return full;
  }

  /** The steps of a tree; -1 if it is not to be here. */
  private static int steps(Forest forest, int tree) {
    if (forest.width() > 1 || forest.linear().length > 0 || forest.ruled()[tree]) {
      return -1;
    }
    int root = forest.roots()[tree];
    int leaves = (forest.end(tree) - root + 1) / 2;
    int steps = steps(forest, root, MAX_DEPTH);
    return steps >= 0 && 1 << steps <= MOST_PLACES * leaves ? steps : -1;
  }

  /** The steps from a node to the lowest leaf; -1 if they are more than {@code most}. */
  private static int steps(Forest forest, int node, int most) {
    int second = forest.second()[node];
    if (second == node) {
      return 0;
    }
    if (most == 0) {
      return -1;
    }
    int behindFirst = steps(forest, second - 1, most - 1);
    int behindSecond = behindFirst < 0 ? -1 : steps(forest, second, most - 1);
    return behindSecond < 0 ? -1 : 1 + Math.max(behindFirst, behindSecond);
  }

  /** Places a node of the forest as node {@code place}, with that many steps behind it. */
  private void place(Forest forest, int tree, int node, int place, int steps) {
    int second = forest.second()[node];
    if (second != node) {
      nodes[nodeAt[tree] + place] = forest.nodes()[node];
      place(forest, tree, second - 1, 2 * place, steps - 1);
      place(forest, tree, second, 2 * place + 1, steps - 1);
      return;
    }
    int from = valueAt[tree] + (place << steps);
    int to = from + (1 << steps);
    if (forest.isSingle()) {
      Arrays.fill(singles, from, to, forest.singles()[node]);
    } else {
      Arrays.fill(doubles, from, to, forest.doubles()[node]);
    }
  }

  /** The size of all arrays in bytes. */
  long byteSize() {
    return 8L * nodes.length + 4L * singles.length + 8L * doubles.length + 9L * depth.length;
  }
}
