package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * The decisions that are more than a comparison: sets of categories, and zeros that are missing.
 *
 * @param ruleOf by node: the index of its rule; 0 for a node without one. Empty if no node has one
 * @param kinds by rule
 * @param bounds by rule: for {@link TreeNodes.Rule#BOUND_ZERO_MISSING}
 * @param missingFirst by rule: whether a missing value goes to the first child
 * @param setAt by rule: where its set begins in {@code sets}; one more entry than rules
 * @param isListed by rule: whether its set is a list of categories, ascending; else it is of bits
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SplitRules(
    int[] ruleOf,
    TreeNodes.Rule[] kinds,
    double[] bounds,
    boolean[] missingFirst,
    int[] setAt,
    boolean[] isListed,
    int[] sets) {
  private static final float ZERO = 1e-35f;

  /** Whether a value goes to the first child of a node, which has a rule. */
  boolean isFirst(int node, double value) {
    int rule = ruleOf[node];
    if (Double.isNaN(value)) {
      return missingFirst[rule];
    }
    return switch (kinds[rule]) {
      case BOUND_ZERO_MISSING ->
          Math.abs(value) <= ZERO ? missingFirst[rule] : value <= bounds[rule];
      case CATEGORY -> contains(rule, (int) value);
      case CATEGORY_FROM_ZERO -> value >= 0 && contains(rule, (int) value);
      case LEAF, BOUND -> throw new IllegalStateException("node " + node + " has no rule");
    };
  }

  private boolean contains(int rule, int category) {
    if (isListed[rule]) {
      return Arrays.binarySearch(sets, setAt[rule], setAt[rule + 1], category) >= 0;
    }
    int word = category >> 5;
    int at = setAt[rule] + word;
    return category >= 0
        && word < setAt[rule + 1] - setAt[rule]
        && ((sets[at] >> category) & 1) != 0;
  }

  long byteSize() {
    return 4L * (ruleOf.length + setAt.length + sets.length)
        + 8L * bounds.length
        + 6L * kinds.length;
  }
}
