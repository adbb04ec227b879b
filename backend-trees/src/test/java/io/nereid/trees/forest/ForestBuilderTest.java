package io.nereid.trees.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForestBuilderTest {
  private static void split(TreeNodes tree, int node, int left, int right) {
    tree.children(node, left, right, false);
    tree.bound(node, 0, TreeNodes.below(0.5));
  }

  @Test
  void refusesANodeThatIsItsOwnAncestor() {
    var tree = new TreeNodes(3, 1);
    split(tree, 0, 1, 2);
    split(tree, 1, 0, 2);

    assertThatThrownBy(() -> new ForestBuilder(true).add(tree, 0))
        .isInstanceOf(MalformedModelException.class)
        .hasMessage("node 0 of tree 0 is the child of two nodes, or of itself");
  }

  @Test
  void refusesANodeWithTwoParents() {
    var tree = new TreeNodes(4, 1);
    split(tree, 0, 1, 2);
    split(tree, 1, 2, 3);

    assertThatThrownBy(() -> new ForestBuilder(true).add(tree, 0))
        .hasMessage("node 2 of tree 0 is the child of two nodes, or of itself");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 3, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void refusesAChildThatIsNoNode(int child) {
    var tree = new TreeNodes(3, 1);
    split(tree, 0, 1, child);

    assertThatThrownBy(() -> new ForestBuilder(true).add(tree, 0))
        .hasMessage("node 0 of tree 0 has the child %d, but there are 3 nodes".formatted(child));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, ForestBuilder.MAX_FEATURES})
  void refusesAFeatureOutOfRange(int feature) {
    var tree = new TreeNodes(3, 1);
    tree.children(0, 1, 2, false);
    tree.bound(0, feature, 0);

    assertThatThrownBy(() -> new ForestBuilder(true).add(tree, 0))
        .hasMessageStartingWith("node 0 of tree 0 uses feature " + feature);
  }

  /** A tree of 100,000 levels: neither the layout nor a walk may use the stack for a level. */
  @Test
  void aTreeMayBeAsDeepAsItHasNodes() throws MalformedModelException {
    int levels = 100_000;
    var tree = new TreeNodes(2 * levels + 1, 1);
    for (int i = 0; i < levels; i++) {
      tree.children(2 * i, 2 * i + 2, 2 * i + 1, false);
      tree.bound(2 * i, 0, TreeNodes.below(1));
      tree.leaf(2 * i + 1, 0, 1);
    }
    tree.leaf(2 * levels, 0, 7);
    var forest = new ForestBuilder(true);
    forest.add(tree, 0);

    assertThat(margins(model(forest, 1), new double[] {0.5, 2})).containsExactly(7, 1);
  }

  private static Ensemble model(ForestBuilder forest, int features) throws MalformedModelException {
    return model(forest, features, DataType.FP32);
  }

  private static Ensemble model(ForestBuilder forest, int features, DataType rowType)
      throws MalformedModelException {
    return new EnsembleBuilder("test", forest).features(features, List.of()).build(rowType);
  }

  private static double[] margins(Ensemble model, double[] rows) {
    var walk = new ForestWalk(model);
    int count = rows.length / model.features().count();
    double[] all = new double[count];
    double[] margins = new double[walk.maxRows()];
    try (var arena = Arena.ofConfined()) {
      var input = arena.allocate(8L * rows.length);
      for (int i = 0; i < rows.length; i++) {
        if (model.rowType() == DataType.FP32) {
          input.set(Elements.FLOAT, 4L * i, (float) rows[i]);
        } else {
          input.set(Elements.DOUBLE, 8L * i, rows[i]);
        }
      }
      for (int first = 0; first < count; first += walk.maxRows()) {
        int block = Math.min(walk.maxRows(), count - first);
        walk.margins(model, input, first, block, margins);
        System.arraycopy(margins, 0, all, first, block);
      }
    }
    return all;
  }

  /** One row, rows of one block and rows of two go by different ways. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 63, 256, 257, 600})
  void everyNumberOfRowsGivesTheSumsOfEachRow(int rows) throws MalformedModelException {
    checkSums(rows, DataType.FP32, /* comparesDoubles= */ false);
    checkSums(rows, DataType.FP32, /* comparesDoubles= */ true);
    checkSums(rows, DataType.FP64, /* comparesDoubles= */ false);
    checkSums(rows, DataType.FP64, /* comparesDoubles= */ true);
  }

  /** Values are near thresholds: beside them as doubles, and the same as floats. */
  private static void checkSums(int rows, DataType type, boolean comparesDoubles)
      throws MalformedModelException {
    int features = 3;
    var random = new Random(rows);
    var forest = new ForestBuilder(false);
    TreeNodes[] trees = new TreeNodes[9];
    for (int i = 0; i < trees.length; i++) {
      trees[i] = randomTree(random, features, 1 + random.nextInt(60));
      forest.add(trees[i], 0);
    }
    forest.comparesDoubles(comparesDoubles);
    double[] values = new double[rows * features];
    for (int i = 0; i < values.length; i++) {
      double value = random.nextInt(-8, 8) / 4.0 + random.nextInt(-1, 2) * 1e-12;
      values[i] = random.nextInt(10) == 0 ? Double.NaN : value;
    }

    double[] margins = margins(model(forest, features, type), values);
    if (!comparesDoubles || type == DataType.FP32) {
      Arrays.setAll(values, i -> (float) values[i]);
    }

    for (int row = 0; row < rows; row++) {
      double expected = 0;
      for (TreeNodes tree : trees) {
        expected += value(tree, values, row * features);
      }
      assertThat(margins[row]).as("row %d", row).isEqualTo(expected);
    }
  }

  @Test
  void aLinearLeafAddsItsTermsUnlessAFeatureIsMissing() throws MalformedModelException {
    double[] rows = {0, 4, 3, 0, 4, Double.NaN, 0.5, 4, 3, 0, 2, 2, 0, 0, 0};
    for (DataType type : List.of(DataType.FP32, DataType.FP64)) {
      var tree = new TreeNodes(3, 1);
      split(tree, 0, 1, 2);
      tree.leaf(1, 0, 7);
      tree.linear(1, new LinearLeaf(1, new int[] {2, 1}, new double[] {10, 0.5}));
      tree.leaf(2, 0, 9);
      var forest = new ForestBuilder(false);
      forest.add(tree, 0);

      assertThat(margins(model(forest, 3, type), rows)).containsExactly(33, 7, 9, 22, 1);
    }
  }

  private static TreeNodes randomTree(Random random, int features, int splits) {
    var tree = new TreeNodes(2 * splits + 1, 1);
    for (int node = 0; node < tree.size(); node++) {
      tree.leaf(node, 0, random.nextGaussian());
    }
    var leaves = new ArrayList<>(List.of(0));
    for (int i = 0; i < splits; i++) {
      int node = leaves.remove(/* index */ random.nextInt(leaves.size()));
      tree.children(node, 2 * i + 1, 2 * i + 2, random.nextBoolean());
      int feature = random.nextInt(features);
      double threshold = random.nextInt(-8, 8) / 4.0;
      double bound = random.nextBoolean() ? threshold : TreeNodes.below(threshold);
      switch (random.nextInt(4)) {
        case 0 -> tree.boundWhereZeroIsMissing(node, feature, bound);
        case 1 -> tree.category(node, feature, randomSet(random), random.nextBoolean());
        default -> tree.bound(node, feature, bound);
      }
      leaves.add(2 * i + 1);
      leaves.add(2 * i + 2);
    }
    return tree;
  }

  private static CategorySet randomSet(Random random) {
    return random.nextBoolean()
        ? CategorySet.ofBits(new int[] {random.nextInt()})
        : new CategorySet(new int[] {random.nextInt(3), random.nextInt(3, 9)}, true);
  }

  private static boolean contains(CategorySet set, int category) {
    return set.isListed()
        ? Arrays.stream(set.values()).anyMatch(each -> each == category)
        : ((set.values()[0] >> category) & 1) != 0;
  }

  /** The same by the plain description. */
  private static double value(TreeNodes tree, double[] values, int at) {
    int node = 0;
    while (tree.rules[node] != TreeNodes.Rule.LEAF) {
      double value = values[at + tree.features[node]];
      boolean isMissing = Double.isNaN(value);
      boolean isZero = Math.abs(value) <= 1e-35f;
      boolean isLeft =
          switch (tree.rules[node]) {
            case BOUND -> isMissing ? tree.missingLeft[node] : value <= tree.bounds[node];
            case BOUND_ZERO_MISSING ->
                (isMissing || isZero) ? tree.missingLeft[node] : value <= tree.bounds[node];
            case CATEGORY ->
                isMissing
                    ? tree.missingLeft[node]
                    : value > -1 && contains(tree.sets[node], (int) value);
            case CATEGORY_FROM_ZERO ->
                isMissing
                    ? tree.missingLeft[node]
                    : value >= 0 && contains(tree.sets[node], (int) value);
            case LEAF -> throw new IllegalStateException();
          };
      node = isLeft ? tree.left[node] : tree.right[node];
    }
    return tree.values[node];
  }
}
