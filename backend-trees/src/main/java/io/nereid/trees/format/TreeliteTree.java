package io.nereid.trees.format;

import io.nereid.trees.forest.CategorySet;
import io.nereid.trees.forest.MalformedModelException;
import io.nereid.trees.forest.TreeNodes;
import java.io.IOException;
import java.util.Arrays;

/** One tree of treelite's format: an array of each field, by node. */
final class TreeliteTree {
  /** Of {@code TreeNodeType}. */
  private static final int LEAF = 0;

  private static final int NUMERICAL = 1;
  private static final int CATEGORICAL = 2;

  /** Of {@code Operator}. */
  private static final int LESS = 2;

  private static final int AT_MOST = 3;
  private static final int GREATER = 4;
  private static final int AT_LEAST = 5;

  private final ByteSource source;
  private final int number;
  private final boolean isSingle;

  /** A value that a file has for no class. */
  static final int DROPPED = -1;

  private final int[] columns;
  private final int width;
  private int size;
  private boolean hasWeights;

  /** How many nodes had the value that was read last. */
  private int flagged;

  /**
   * @param columns by value of a leaf: the output that it is added to, or {@link #DROPPED}
   */
  TreeliteTree(ByteSource source, int number, boolean isSingle, int[] columns) {
    this.source = source;
    this.number = number;
    this.isSingle = isSingle;
    this.columns = columns;
    width = columns.length;
  }

  TreeNodes read() throws IOException {
    size = source.count(source.int32(), Byte.BYTES);
    source.int8(); // whether there are categories
    byte[] types = bytes("node_type");
    int[] left = ints("cleft");
    int[] right = ints("cright");
    int[] features = ints("split_index");
    byte[] defaultLeft = bytes("default_left");
    double[] values = floats();
    require("leaf_value", values.length);
    double[] thresholds = floats();
    require("threshold", thresholds.length);
    byte[] operators = bytes("cmp");
    byte[] listRight = bytes("category_list_right_child");
    double[] vectors = floats();
    long[] vectorBegin = longs("leaf_vector_begin");
    long[] vectorEnd = longs("leaf_vector_end");
    int[] categories = anyInts();
    long[] listBegin = longs("category_list_begin");
    long[] listEnd = longs("category_list_end");
    double[] counts = covers(/* areIntegers= */ true); // data_count
    double[] weights = covers(/* areIntegers= */ false); // sum_hess
    hasWeights = flagged > 0;
    skip(Double.BYTES); // gain
    skip(Byte.BYTES);
    long listed = 0;
    if (width > 1 && (size / 2 + 1L) * width != vectors.length) {
      throw wrong("has %d values in leaves of %d, but %d nodes", vectors.length, width, size);
    }
    int outputs = (int) Arrays.stream(columns).filter(column -> column != DROPPED).count();
    var nodes = new TreeNodes(size, outputs);
    nodes.covers(weights.length > 0 ? weights : counts);
    for (int node = 0; node < size; node++) {
      boolean missingLeft = defaultLeft[node] != 0;
      switch (types[node]) {
        case LEAF -> {
          if (width == 1) {
            nodes.leaf(node, 0, values[node]);
          } else {
            check("leaf_vector", node, vectorBegin[node], vectorEnd[node], vectors.length);
            if (vectorEnd[node] - vectorBegin[node] != width) {
              throw wrong("has no %d values in its leaf %d", width, node);
            }
            for (int k = 0; k < width; k++) {
              if (columns[k] != DROPPED) {
                nodes.leaf(node, columns[k], vectors[(int) vectorBegin[node] + k]);
              }
            }
          }
        }
        case NUMERICAL ->
            split(
                nodes,
                node,
                operators[node],
                thresholds[node],
                features[node],
                new int[] {left[node], right[node]},
                missingLeft);
        case CATEGORICAL -> {
          check("category_list", node, listBegin[node], listEnd[node], categories.length);
          listed += listEnd[node] - listBegin[node];
          if (listed > categories.length) {
            throw wrong("has overlapping lists of categories");
          }
          boolean isRight = listRight[node] != 0;
          nodes.children(
              node,
              isRight ? right[node] : left[node],
              isRight ? left[node] : right[node],
              isRight != missingLeft);
          var set = CategorySet.of(number, categories, (int) listBegin[node], (int) listEnd[node]);
          nodes.category(node, features[node], set, true);
        }
        default -> throw wrong("has the unknown type %d in node %d", types[node], node);
      }
    }
    return nodes;
  }

  /** Values by node, with a flag for each whether it is there; empty unless all are. */
  private double[] covers(boolean areIntegers) throws IOException {
    double[] values = new double[source.count(source.int64(), Long.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = areIntegers ? source.int64() : source.float64();
    }
    int flags = source.count(source.int64(), Byte.BYTES);
    flagged = 0;
    for (int i = 0; i < flags; i++) {
      flagged += source.int8() != 0 ? 1 : 0;
    }
    return values.length == size && flagged == flags ? values : new double[0];
  }

  private void split(
      TreeNodes nodes,
      int node,
      int operator,
      double threshold,
      int feature,
      int[] children,
      boolean missingLeft)
      throws MalformedModelException {
    if (Double.isNaN(threshold)) {
      throw wrong("splits at NaN in node %d", node);
    }
    switch (operator) {
      case LESS, AT_MOST -> nodes.children(node, children[0], children[1], missingLeft);
      // not at most, not less
      case GREATER, AT_LEAST -> nodes.children(node, children[1], children[0], !missingLeft);
      default -> throw wrong("has the unknown operator %d in node %d", operator, node);
    }
    boolean isStrict = operator == LESS || operator == AT_LEAST;
    nodes.bound(node, feature, isStrict ? TreeNodes.below(threshold) : threshold);
  }

  /** Whether any node has {@code sum_hess}, which scikit-learn's histogram boosting lacks. */
  boolean hasWeights() {
    return hasWeights;
  }

  private void skip(int elementSize) throws IOException {
    source.skip((long) source.count(source.int64(), elementSize) * elementSize);
  }

  private void check(String list, int node, long begin, long end, int length)
      throws MalformedModelException {
    if (begin < 0 || end < begin || end > length) {
      throw wrong("has a %s of node %d outside of its %d values", list, node, length);
    }
  }

  private byte[] bytes(String field) throws IOException {
    byte[] values = new byte[source.count(source.int64(), Byte.BYTES)];
    require(field, values.length);
    for (int i = 0; i < values.length; i++) {
      values[i] = source.int8();
    }
    return values;
  }

  private int[] ints(String field) throws IOException {
    int[] values = anyInts();
    require(field, values.length);
    return values;
  }

  private int[] anyInts() throws IOException {
    int[] values = new int[source.count(source.int64(), Integer.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = source.int32();
    }
    return values;
  }

  private long[] longs(String field) throws IOException {
    long[] values = new long[source.count(source.int64(), Long.BYTES)];
    require(field, values.length);
    for (int i = 0; i < values.length; i++) {
      values[i] = source.int64();
    }
    return values;
  }

  private double[] floats() throws IOException {
    double[] values =
        new double[source.count(source.int64(), isSingle ? Float.BYTES : Double.BYTES)];
    for (int i = 0; i < values.length; i++) {
      values[i] = isSingle ? source.float32() : source.float64();
    }
    return values;
  }

  private void require(String field, int length) throws MalformedModelException {
    if (length != size) {
      throw wrong("has %d nodes, but %d %s", size, length, field);
    }
  }

  private MalformedModelException wrong(String what, Object... arguments) {
    return new MalformedModelException("tree %d ".formatted(number) + what.formatted(arguments));
  }
}
