package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Lays out trees as a {@link Forest}, and checks that they are trees. */
public final class ForestBuilder {
  /**
   * The most nodes of a model, so that an index stays an {@code int} whatever an array grows to.
   */
  private static final int MAX_NODES = 1 << 29;

  /** The most features of a row. */
  public static final int MAX_FEATURES = 1 << 22;

  /** The most outputs of a model. */
  public static final int MAX_OUTPUTS = 1 << 16;

  private final boolean isSingle;
  private final IntList second = new IntList();
  private final IntList keyIndexes = new IntList();
  private final DoubleStream.Builder bounds = DoubleStream.builder();
  private final IntList roots = new IntList();
  private final IntList groups = new IntList();
  private final IntList leafAt = new IntList();
  private final BitSet ruledTrees = new BitSet();
  private final RuleList rules = new RuleList();
  private final Map<Integer, LinearLeaf> linear = new HashMap<>();
  private float[] singles = {};
  private final DoubleStream.Builder doubles = DoubleStream.builder();
  private int valueCount;
  private boolean comparesDoubles;

  /** By node; of no use unless all trees have them. */
  private final DoubleStream.Builder covers = DoubleStream.builder();

  private boolean hasCovers = true;
  private final BitSet features = new BitSet();
  private int width;

  /**
   * A forest without trees.
   *
   * @param isSingle whether outputs are sums of floats, in single precision
   */
  public ForestBuilder(boolean isSingle) {
    this.isSingle = isSingle;
  }

  /** Whether the library compares doubles with thresholds; otherwise it rounds them to floats. */
  public void comparesDoubles(boolean compares) {
    comparesDoubles = compares;
  }

  /** The number of trees so far. */
  public int trees() {
    return roots.size();
  }

  /** The number of values of each leaf; 0 as long as there is no tree. */
  public int width() {
    return width;
  }

  /**
   * Adds a tree. Nodes that its root does not reach are left out.
   *
   * @param group the output that its leaves add to; 0 if they have a value for each
   * @throws MalformedModelException if it is no tree
   */
  public void add(TreeNodes tree, int group) throws MalformedModelException {
    int number = trees();
    if (tree.size() == 0) {
      throw new MalformedModelException("tree %d has no node".formatted(number));
    }
    if (number > 0 && tree.width != width) {
      throw new MalformedModelException(
          "tree %d has %d values in each leaf, those before it have %d"
              .formatted(number, tree.width, width));
    }
    width = tree.width;
    int root = second.size();
    if (root > MAX_NODES - tree.size()) {
      throw new MalformedModelException("it has more than %d nodes".formatted(MAX_NODES));
    }
    int[] order = new int[tree.size()];
    int placed = 1;
    var seen = new BitSet(tree.size());
    seen.set(0);
    for (int at = 0; at < placed; at++) {
      int node = order[at];
      if (tree.rules[node] == TreeNodes.Rule.LEAF) {
        addLeaf(tree, node, root + at);
        addLinear(tree.linear(node), node, root + at);
        continue;
      }
      checkFeature(tree.features[node], number, node);
      boolean isSwapped = addSplit(tree, node, root + placed + 1);
      int first = isSwapped ? tree.right[node] : tree.left[node];
      int other = isSwapped ? tree.left[node] : tree.right[node];
      check(tree, first, seen, number, node);
      check(tree, other, seen, number, node);
      order[placed] = first;
      order[placed + 1] = other;
      placed += 2;
    }
    addCovers(tree, order, placed);
    roots.add(root);
    groups.add(group);
  }

  private void addCovers(TreeNodes tree, int[] order, int placed) {
    hasCovers &= tree.covers.length > 0 || placed == 1;
    for (int at = 0; hasCovers && at < placed; at++) {
      covers.accept(tree.covers.length > 0 ? tree.covers[order[at]] : 1);
    }
  }

  private void checkFeature(int feature, int tree, int node) throws MalformedModelException {
    if (feature < 0 || feature >= MAX_FEATURES) {
      throw new MalformedModelException(
          "node %d of tree %d uses feature %d, which must be from 0 to %d"
              .formatted(node, tree, feature, MAX_FEATURES - 1));
    }
    features.set(feature);
  }

  private static void check(TreeNodes tree, int child, BitSet seen, int number, int node)
      throws MalformedModelException {
    if (child < 0 || child >= tree.size()) {
      throw new MalformedModelException(
          "node %d of tree %d has the child %d, but there are %d nodes"
              .formatted(node, number, child, tree.size()));
    }
    if (seen.get(child)) {
      throw new MalformedModelException(
          "node %d of tree %d is the child of two nodes, or of itself".formatted(child, number));
    }
    seen.set(child);
  }

  private void addLeaf(TreeNodes tree, int node, int self) {
    second.add(self);
    keyIndexes.add(0);
    bounds.accept(Double.NaN);
    rules.none();
    if (width > 1) {
      leafAt.add(valueCount);
      for (int k = 0; k < width; k++) {
        addValue(tree.values[node * width + k]);
      }
    } else {
      addValue(tree.values[node]);
    }
  }

  private void addLinear(@Nullable LinearLeaf leaf, int node, int self)
      throws MalformedModelException {
    if (leaf != null) {
      for (int feature : leaf.features()) {
        checkFeature(feature, trees(), node);
      }
      linear.put(self, leaf);
    }
  }

  /** Returns whether the right child is the first. */
  private boolean addSplit(TreeNodes tree, int node, int secondChild)
      throws MalformedModelException {
    second.add(secondChild);
    if (width > 1) {
      leafAt.add(0);
    } else {
      addValue(0);
    }
    int keyIndex = 2 * tree.features[node];
    if (tree.rules[node] != TreeNodes.Rule.BOUND) {
      ruledTrees.set(trees());
      rules.add(tree, node);
      keyIndexes.add(keyIndex);
      boolean isBound = tree.rules[node] == TreeNodes.Rule.BOUND_ZERO_MISSING;
      bounds.accept(isBound ? tree.bounds[node] : Double.NaN);
      return false;
    }
    rules.none();
    boolean isSwapped = tree.missingLeft[node];
    keyIndexes.add(isSwapped ? keyIndex + 1 : keyIndex);
    bounds.accept(tree.bounds[node]);
    return isSwapped;
  }

  private void addValue(double value) {
    if (isSingle) {
      if (valueCount == singles.length) {
        singles = Arrays.copyOf(singles, IntList.grown(valueCount));
      }
      singles[valueCount] = (float) value;
    } else {
      doubles.accept(value);
    }
    valueCount++;
  }

  /** Multiplies the values of a tree whose leaves have one each, in single precision. */
  public void scale(int tree, float factor) {
    int end = tree + 1 < trees() ? roots.get(tree + 1) : second.size();
    for (int node = roots.get(tree); node < end; node++) {
      singles[node] *= factor;
    }
  }

  /** Changes the outputs that trees add to, for files that state them behind the trees. */
  public void regroup(int tree, int group) {
    groups.set(tree, group);
  }

  /**
   * The trees so far. The builder must not be used after that.
   *
   * @param rowType FP32 or FP64
   */
  Forest build(DataType rowType) {
    features.set(0); // which leaves compare
    int[] used = features.stream().toArray();
    int[] featureOf = keyIndexes.toArray();
    for (int i = 0; i < featureOf.length; i++) {
      featureOf[i] = Arrays.binarySearch(used, featureOf[i] >> 1);
    }
    double[] boundOf = bounds.build().toArray();
    Thresholds thresholds =
        comparesDoubles && rowType == DataType.FP64
            ? Thresholds.of(featureOf, boundOf, used.length)
            : Thresholds.NONE;
    long[] nodes = new long[second.size()];
    for (int i = 0; i < nodes.length; i++) {
      boolean isSwapped = (keyIndexes.get(i) & 1) != 0;
      boolean isLeaf = second.get(i) == i;
      int bound =
          thresholds.isNone()
              ? FloatKeys.boundOfAtMost(boundOf[i])
              : thresholds.boundOfAtMost(featureOf[i], boundOf[i]);
      // key >= bound, which is ~key <= ~bound, which is ~key < ~bound + 1 = -bound
      long key = isLeaf ? Integer.MIN_VALUE : isSwapped ? -bound : bound;
      nodes[i] = (key << 32) | (2 * featureOf[i] + (isSwapped ? 1 : 0));
    }
    boolean[] ruled = new boolean[trees()];
    for (int i = 0; i < ruled.length; i++) {
      ruled[i] = ruledTrees.get(i);
    }
    return new Forest(
        nodes,
        second.toArray(),
        thresholds,
        Arrays.copyOf(singles, isSingle ? valueCount : 0),
        doubles.build().toArray(),
        leafAt.toArray(),
        linearLeaves(used),
        roots.toArray(),
        groups.toArray(),
        ruled,
        rules.build(),
        isSingle,
        Math.max(1, width),
        used,
        rowType,
        comparesDoubles);
  }

  /** By node of the forest: its training rows, or their weight; empty if the file does not say. */
  double[] covers() {
    return hasCovers ? covers.build().toArray() : new double[0];
  }

  private @Nullable LinearLeaf[] linearLeaves(int[] used) {
    @Nullable LinearLeaf[] leaves = new LinearLeaf[linear.isEmpty() ? 0 : second.size()];
    linear.forEach((node, leaf) -> {
      int[] indexes =
          Arrays.stream(leaf.features()).map(each -> Arrays.binarySearch(used, each)).toArray();
      leaves[node] = new LinearLeaf(leaf.constant(), indexes, leaf.coefficients());
    });
    return leaves;
  }
}
