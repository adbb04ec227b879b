package io.nereid.trees.format;

import io.nereid.trees.forest.CategorySet;
import io.nereid.trees.forest.LinearLeaf;
import io.nereid.trees.forest.MalformedModelException;
import io.nereid.trees.forest.TreeNodes;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * One section {@code Tree=} of LightGBM's text: inner nodes by number, leaves by {@code ~number}.
 */
final class LightGbmTree {
  /** Bits of {@code decision_type}. */
  private static final int CATEGORICAL = 1;

  private static final int DEFAULT_LEFT = 2;
  private static final int MISSING_SHIFT = 2;

  /** How a node treats missing values: a NaN is 0; zeros and NaN are missing; NaN is missing. */
  private static final int MISSING_NONE = 0;

  private static final int MISSING_ZERO = 1;
  private static final int MISSING_NAN = 2;

  private final int number;
  private final Map<String, String> fields = new HashMap<>();

  LightGbmTree(int number) {
    this.number = number;
  }

  /** Takes a line of the section; those that predictions do not need are dropped. */
  void field(String key, String value) {
    switch (key) {
      case "num_leaves",
          "num_cat",
          "split_feature",
          "threshold",
          "decision_type",
          "left_child",
          "right_child",
          "leaf_value",
          "cat_boundaries",
          "cat_threshold",
          "internal_count",
          "leaf_count",
          "is_linear",
          "leaf_const",
          "num_features",
          "leaf_features",
          "leaf_coeff" ->
          fields.put(key, value);
      default -> {}
    }
  }

  /** The tree: its inner nodes, then its leaves. */
  TreeNodes nodes() throws MalformedModelException {
    double[] leaves = doubles("leaf_value");
    if (integer("num_leaves") != leaves.length || leaves.length == 0) {
      throw wrong("has num_leaves=%s, but %d leaf_value", field("num_leaves"), leaves.length);
    }
    int splits = leaves.length - 1;
    var nodes = new TreeNodes(splits + leaves.length, 1);
    for (int i = 0; i < leaves.length; i++) {
      nodes.leaf(splits + i, 0, leaves[i]);
    }
    if (!fields.getOrDefault("is_linear", "0").equals("0")) {
      addFunctions(nodes, splits);
    }
    if (splits > 0) {
      addSplits(nodes, splits);
      addCovers(nodes);
    }
    return nodes;
  }

  private void addCovers(TreeNodes nodes) throws MalformedModelException {
    if (fields.containsKey("internal_count") && fields.containsKey("leaf_count")) {
      double[] inner = doubles("internal_count");
      double[] leaves = doubles("leaf_count");
      double[] all = Arrays.copyOf(inner, inner.length + leaves.length);
      System.arraycopy(leaves, 0, all, inner.length, leaves.length);
      nodes.covers(all);
    }
  }

  /** The functions of {@code linear_tree}: the terms of all leaves stand one after the other. */
  private void addFunctions(TreeNodes nodes, int splits) throws MalformedModelException {
    double[] constants = doubles("leaf_const");
    int[] counts = integers("num_features");
    int[] features = integers("leaf_features");
    double[] coefficients = doubles("leaf_coeff");
    if (constants.length != splits + 1 || counts.length != splits + 1) {
      throw wrong(
          "has %d leaves, but %d leaf_const and %d num_features",
          splits + 1, constants.length, counts.length);
    }
    int from = 0;
    for (int leaf = 0; leaf < counts.length; leaf++) {
      long to = (long) from + counts[leaf];
      if (counts[leaf] < 0 || to > features.length || to > coefficients.length) {
        throw wrong(
            "has num_features of more than its %d leaf_features and %d leaf_coeff",
            features.length, coefficients.length);
      }
      nodes.linear(
          splits + leaf,
          new LinearLeaf(
              constants[leaf],
              Arrays.copyOfRange(features, from, (int) to),
              Arrays.copyOfRange(coefficients, from, (int) to)));
      from = (int) to;
    }
  }

  private void addSplits(TreeNodes nodes, int splits) throws MalformedModelException {
    int[] features = ints("split_feature", splits);
    double[] thresholds = doubles("threshold");
    int[] types = ints("decision_type", splits);
    int[] left = ints("left_child", splits);
    int[] right = ints("right_child", splits);
    if (thresholds.length != splits) {
      throw wrong("has %d splits, but %d threshold", splits, thresholds.length);
    }
    CategorySet[] sets = sets();
    var taken = new BitSet(sets.length);
    for (int node = 0; node < splits; node++) {
      int leftChild = left[node] < 0 ? splits + ~left[node] : left[node];
      int rightChild = right[node] < 0 ? splits + ~right[node] : right[node];
      double threshold = thresholds[node];
      if (Double.isNaN(threshold)) {
        throw wrong("splits at NaN in node %d", node);
      }
      int type = types[node];
      if ((type & CATEGORICAL) != 0) {
        int set = (int) threshold;
        if (set != threshold || set < 0 || set >= sets.length) {
          throw wrong(
              "has %d sets of categories, but node %d uses %s", sets.length, node, threshold);
        }
        if (taken.get(set)) {
          throw wrong("uses set %d of categories in two nodes", set);
        }
        taken.set(set);
        nodes.children(node, leftChild, rightChild, false);
        nodes.category(node, features[node], sets[set], false);
        continue;
      }
      boolean defaultLeft = (type & DEFAULT_LEFT) != 0;
      switch (type >> MISSING_SHIFT) {
        case MISSING_NONE -> {
          nodes.children(node, leftChild, rightChild, 0 <= threshold);
          nodes.bound(node, features[node], threshold);
        }
        case MISSING_ZERO -> {
          nodes.children(node, leftChild, rightChild, defaultLeft);
          nodes.boundWhereZeroIsMissing(node, features[node], threshold);
        }
        case MISSING_NAN -> {
          nodes.children(node, leftChild, rightChild, defaultLeft);
          nodes.bound(node, features[node], threshold);
        }
        default -> throw wrong("has the unknown decision_type %d in node %d", type, node);
      }
    }
  }

  private CategorySet[] sets() throws MalformedModelException {
    int count = integer("num_cat");
    if (count == 0) {
      return new CategorySet[0];
    }
    int[] boundaries = integers("cat_boundaries");
    long[] words = longs("cat_threshold");
    if (count != boundaries.length - 1) {
      throw wrong("has num_cat=%d, but %d cat_boundaries", count, boundaries.length);
    }
    var sets = new CategorySet[count];
    int from = 0;
    for (int i = 0; i < count; i++) {
      int to = boundaries[i + 1];
      if (boundaries[i] != from || to < from || to > words.length) {
        throw wrong("has cat_boundaries that do not ascend to its %d cat_threshold", words.length);
      }
      int[] bits = new int[to - from];
      for (int k = from; k < to; k++) {
        bits[k - from] = (int) words[k]; // unsigned in the file
      }
      sets[i] = CategorySet.ofBits(bits);
      from = to;
    }
    return sets;
  }

  private String field(String key) throws MalformedModelException {
    String value = fields.get(key);
    if (value == null) {
      throw wrong("has no %s", key);
    }
    return value;
  }

  private int integer(String key) throws MalformedModelException {
    int[] values = integers(key);
    if (values.length != 1) {
      throw wrong("has %d values of %s in place of one", values.length, key);
    }
    return values[0];
  }

  private int[] ints(String key, int count) throws MalformedModelException {
    int[] values = integers(key);
    if (values.length != count) {
      throw wrong("has %d splits, but %d %s", count, values.length, key);
    }
    return values;
  }

  private int[] integers(String key) throws MalformedModelException {
    long[] values = longs(key);
    int[] integers = new int[values.length];
    for (int i = 0; i < values.length; i++) {
      integers[i] = (int) values[i];
      if (integers[i] != values[i]) {
        throw wrong("has the %s %d, which is out of range", key, values[i]);
      }
    }
    return integers;
  }

  private long[] longs(String key) throws MalformedModelException {
    var words = new Words(field(key));
    long[] values = new long[words.count()];
    try {
      for (int i = 0; i < values.length; i++) {
        values[i] = Long.parseLong(words.next());
      }
    } catch (NumberFormatException _) {
      throw wrong("has a %s that is no integer", key);
    }
    return values;
  }

  private double[] doubles(String key) throws MalformedModelException {
    var words = new Words(field(key));
    double[] values = new double[words.count()];
    try {
      for (int i = 0; i < values.length; i++) {
        values[i] = number(words.next());
      }
    } catch (NumberFormatException _) {
      throw wrong("has a %s that is no number", key);
    }
    return values;
  }

  /** LightGBM writes infinities as C does. */
  private static double number(String word) {
    return switch (word) {
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(word);
    };
  }

  private MalformedModelException wrong(String what, Object... arguments) {
    return new MalformedModelException("tree %d ".formatted(number) + what.formatted(arguments));
  }
}
