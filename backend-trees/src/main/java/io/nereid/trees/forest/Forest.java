package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import org.jspecify.annotations.Nullable;

/**
 * All trees of a model in flat arrays. The nodes of a tree lie one level after the other, siblings
 * side by side, so that a step is the same arithmetic for every node, without a branch:
 *
 * <pre>
 * next = second[node] - (keys[row, key index of node] &lt; bound of node ? 1 : 0)
 * </pre>
 *
 * <p>{@code keys} holds the key of each feature that a node uses, {@linkplain FloatKeys of a float}
 * or {@linkplain Thresholds of a double}, and beside it the key of the reversed comparison. A
 * missing value is never less than a bound, so it goes to the second sibling. A node that sends
 * missing values to the left compares the reversed key and has its children swapped. A leaf is its
 * own second sibling, and nothing is less than its bound.
 *
 * @param nodes the bound in the upper 32 bits, the index of the key in a row in the lower
 * @param second the index of the second child
 * @param thresholds those of nodes, if rows are compared as doubles; none if they are compared as
 *     floats
 * @param singles the values of leaves, by node, if {@code isSingle} and {@code width} is 1; by leaf
 *     and output if {@code width} is more
 * @param doubles the same, if not {@code isSingle}
 * @param leafAt by node: where its values begin; empty if {@code width} is 1
 * @param linear by node: the function of a linear leaf, of features by their index in {@code
 *     features}; empty if there is none
 * @param roots by tree: the node where it begins
 * @param groups by tree: the output to which it adds, 0 if {@code width} is more than 1
 * @param ruled by tree: whether any of its nodes has one of {@code rules}
 * @param isSingle whether outputs are sums of floats, in single precision; otherwise of doubles
 * @param width the number of values of each leaf
 * @param features those that nodes use, ascending, and 0
 * @param rowType FP32 or FP64
 * @param comparesDoubles whether the library compares doubles with thresholds; otherwise floats
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Forest(
    long[] nodes,
    int[] second,
    Thresholds thresholds,
    float[] singles,
    double[] doubles,
    int[] leafAt,
    @Nullable LinearLeaf[] linear,
    int[] roots,
    int[] groups,
    boolean[] ruled,
    SplitRules rules,
    boolean isSingle,
    int width,
    int[] features,
    DataType rowType,
    boolean comparesDoubles) {
  /** The node behind the last of a tree. */
  int end(int tree) {
    return tree + 1 < roots.length ? roots[tree + 1] : nodes.length;
  }

  /** The index in {@code features} of the feature that an inner node compares. */
  int featureIndex(int node) {
    return (int) nodes[node] >> 1;
  }

  /** A value of a leaf, by its index in {@code singles} or {@code doubles}. */
  double value(int index) {
    return isSingle ? singles[index] : doubles[index];
  }

  /** Whether a walk needs the values themselves, not their keys alone. */
  boolean needsValues() {
    return rules.ruleOf().length > 0 || linear.length > 0;
  }

  /** The size of all arrays in bytes. */
  long byteSize() {
    long functions = 8L * linear.length;
    for (LinearLeaf leaf : linear) {
      functions += leaf == null ? 0 : leaf.byteSize();
    }
    return functions
        + thresholds.byteSize()
        + 8L * nodes.length
        + 4L * second.length
        + 4L * singles.length
        + 8L * doubles.length
        + 4L * leafAt.length
        + 9L * roots.length
        + 4L * features.length
        + rules.byteSize();
  }
}
