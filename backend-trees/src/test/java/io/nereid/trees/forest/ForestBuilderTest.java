package io.nereid.trees.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.Elements;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
    tree.bound(node, 0, FloatKeys.boundOfLess(0.5));
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
      tree.bound(2 * i, 0, FloatKeys.boundOfLess(1));
      tree.leaf(2 * i + 1, 0, 1);
    }
    tree.leaf(2 * levels, 0, 7);
    var forest = new ForestBuilder(true);
    forest.add(tree, 0);

    assertThat(margins(model(forest, 1), new float[] {0.5f, 2})).containsExactly(7, 1);
  }

  private static Ensemble model(ForestBuilder forest, int features) throws MalformedModelException {
    return new EnsembleBuilder("test", forest).features(features, List.of()).build();
  }

  private static double[] margins(Ensemble model, float[] rows) {
    var walk = new ForestWalk(model);
    int count = rows.length / model.features();
    double[] all = new double[count];
    double[] margins = new double[walk.maxRows()];
    try (var arena = Arena.ofConfined()) {
      var input = arena.allocate(4L * rows.length);
      MemorySegment.copy(rows, 0, input, Elements.FLOAT, 0, rows.length);
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
    int features = 3;
    var random = new Random(rows);
    var forest = new ForestBuilder(false);
    TreeNodes[] trees = new TreeNodes[9];
    for (int i = 0; i < trees.length; i++) {
      trees[i] = randomTree(random, features, 1 + random.nextInt(60));
      forest.add(trees[i], 0);
    }
    float[] values = new float[rows * features];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextInt(10) == 0 ? Float.NaN : random.nextInt(-8, 8) / 4f;
    }

    double[] margins = margins(model(forest, features), values);

    for (int row = 0; row < rows; row++) {
      double expected = 0;
      for (TreeNodes tree : trees) {
        expected += value(tree, values, row * features);
      }
      assertThat(margins[row]).as("row %d", row).isEqualTo(expected);
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
      int bound = FloatKeys.boundOfLess(random.nextInt(-8, 8) / 4f);
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
  private static double value(TreeNodes tree, float[] values, int at) {
    int node = 0;
    while (tree.rules[node] != TreeNodes.Rule.LEAF) {
      float value = values[at + tree.features[node]];
      boolean isZero = Math.abs(value) <= 1e-35f;
      boolean isLeft =
          switch (tree.rules[node]) {
            case BOUND ->
                Float.isNaN(value)
                    ? tree.missingLeft[node]
                    : FloatKeys.of(value) < tree.bounds[node];
            case BOUND_ZERO_MISSING ->
                (Float.isNaN(value) || isZero)
                    ? tree.missingLeft[node]
                    : FloatKeys.of(value) < tree.bounds[node];
            case CATEGORY ->
                Float.isNaN(value)
                    ? tree.missingLeft[node]
                    : value > -1 && contains(tree.sets[node], (int) value);
            case CATEGORY_FROM_ZERO ->
                Float.isNaN(value)
                    ? tree.missingLeft[node]
                    : value >= 0 && contains(tree.sets[node], (int) value);
            case LEAF -> throw new IllegalStateException();
          };
      node = isLeft ? tree.left[node] : tree.right[node];
    }
    return tree.values[node];
  }
}
