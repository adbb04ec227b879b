package io.nereid.trees.forest;

import java.lang.foreign.MemorySegment;

/**
 * Takes rows through the trees of a model, a block at a time: one thread at a time. Four paths are
 * followed at once, so that the memory accesses of one do not wait for those of another: four rows
 * through one tree, or one row through four trees where there are fewer rows; eight rows through
 * one of {@link FullTrees}. The sums of a row are made in the order of the trees, as the libraries
 * make them.
 */
public final class ForestWalk {
  private static final int LANES = 4;

  /** Of {@link FullTrees}, whose steps need fewer registers. */
  private static final int MORE_LANES = 8;

  private static final int MAX_ROWS = 256;

  /** How many keys a block has at most, unless a few rows have more: what stays in a cache. */
  private static final int BLOCK_KEYS = 8192;

  private final Forest forest;
  private final FullTrees full;
  private final int outputs;
  private final int stride;
  private final int maxRows;
  private final boolean isLinear;
  private final RowKeys block;
  private final int[] keys;
  private final float[] singles;
  private final double[] doubles;

  public ForestWalk(Ensemble model) {
    forest = model.trees().forest();
    full = model.trees().full();
    outputs = model.outputs();
    isLinear = forest.linear().length > 0;
    stride = RowKeys.stride(forest);
    maxRows = Math.clamp(BLOCK_KEYS / Math.max(stride, outputs), 1, MAX_ROWS);
    block = new RowKeys(forest, model.features().count(), maxRows);
    keys = block.keys;
    singles = new float[forest.isSingle() ? maxRows * outputs : 0];
    doubles = new double[forest.isSingle() ? 0 : maxRows * outputs];
  }

  /** The number of rows that a block has at most. */
  public int maxRows() {
    return maxRows;
  }

  /**
   * Computes the margins of a block.
   *
   * @param model that of this walk, with any of its iterations
   * @param input of the model's type of rows and of shape {@code [rows, features]}
   * @param first the first row
   * @param rows at most {@link #maxRows}
   * @param margins set to {@code [rows, outputs]}
   */
  public void margins(Ensemble model, MemorySegment input, long first, int rows, double[] margins) {
    int firstTree = model.trees().iterations().firstTree();
    int endTree = model.trees().iterations().endTree();
    block.load(input, first, rows);
    begin(model, rows);
    if (rows >= LANES) {
      for (int tree = firstTree; tree < endTree; tree++) {
        rowsOf(tree, rows);
      }
    } else {
      for (int row = 0; row < rows; row++) {
        treesOf(row, firstTree, endTree);
      }
    }
    finish(model, rows, margins);
  }

  private void begin(Ensemble model, int rows) {
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < outputs; k++) {
        double base = model.sums().first(k);
        if (forest.isSingle()) {
          singles[row * outputs + k] = (float) base;
        } else {
          doubles[row * outputs + k] = base;
        }
      }
    }
  }

  private void finish(Ensemble model, int rows, double[] margins) {
    double[] divisors = model.sums().divisors();
    for (int row = 0; row < rows; row++) {
      for (int k = 0; k < outputs; k++) {
        int at = row * outputs + k;
        double late = model.sums().last(k);
        margins[at] =
            forest.isSingle()
                ? singles[at] / (float) divisors[k] + (float) late
                : doubles[at] / divisors[k] + late;
      }
    }
  }

  private void rowsOf(int tree, int rows) {
    int row = 0;
    if (full.depth()[tree] >= 0) {
      for (; row <= rows - MORE_LANES; row += MORE_LANES) {
        eight(tree, row);
      }
    }
    if (!forest.ruled()[tree]) {
      for (; row <= rows - LANES; row += LANES) {
        four(row, 1, tree, 0);
      }
    }
    for (; row < rows; row++) {
      add(row, tree, leaf(tree, row * stride));
    }
  }

  /**
   * Four paths: of four rows through one tree, or of one row through four trees.
   *
   * @param rowStep from the row of a path to that of the next, 0 or 1
   * @param treeStep the same of the trees, 1 or 0
   */
  private void four(int row, int rowStep, int tree, int treeStep) {
    long[] nodes = forest.nodes();
    int[] second = forest.second();
    int[] roots = forest.roots();
    int[] keys = this.keys;
    int at0 = row * stride;
    int at1 = at0 + rowStep * stride;
    int at2 = at1 + rowStep * stride;
    int at3 = at2 + rowStep * stride;
    int node0 = roots[tree];
    int node1 = roots[tree + treeStep];
    int node2 = roots[tree + 2 * treeStep];
    int node3 = roots[tree + 3 * treeStep];
    int moved;
    do {
      int next0 = next(nodes[node0], second[node0], keys, at0);
      int next1 = next(nodes[node1], second[node1], keys, at1);
      int next2 = next(nodes[node2], second[node2], keys, at2);
      int next3 = next(nodes[node3], second[node3], keys, at3);
      moved = (next0 ^ node0) | (next1 ^ node1) | (next2 ^ node2) | (next3 ^ node3);
      node0 = next0;
      node1 = next1;
      node2 = next2;
      node3 = next3;
    } while (moved != 0);
    add(row, tree, node0);
    add(row + rowStep, tree + treeStep, node1);
    add(row + 2 * rowStep, tree + 2 * treeStep, node2);
    add(row + 3 * rowStep, tree + 3 * treeStep, node3);
  }

  private void eight(int tree, int row) {
    long[] nodes = full.nodes();
    int[] keys = this.keys;
    int base = full.nodeAt()[tree];
    int stride = this.stride;
    int at0 = row * stride;
    int at1 = at0 + stride;
    int at2 = at1 + stride;
    int at3 = at2 + stride;
    int at4 = at3 + stride;
    int at5 = at4 + stride;
    int at6 = at5 + stride;
    int at7 = at6 + stride;
    int node0 = 1;
    int node1 = 1;
    int node2 = 1;
    int node3 = 1;
    int node4 = 1;
    int node5 = 1;
    int node6 = 1;
    int node7 = 1;
    for (int step = full.depth()[tree]; step > 0; step--) {
      node0 = next(nodes[base + node0], 2 * node0 + 1, keys, at0);
      node1 = next(nodes[base + node1], 2 * node1 + 1, keys, at1);
      node2 = next(nodes[base + node2], 2 * node2 + 1, keys, at2);
      node3 = next(nodes[base + node3], 2 * node3 + 1, keys, at3);
      node4 = next(nodes[base + node4], 2 * node4 + 1, keys, at4);
      node5 = next(nodes[base + node5], 2 * node5 + 1, keys, at5);
      node6 = next(nodes[base + node6], 2 * node6 + 1, keys, at6);
      node7 = next(nodes[base + node7], 2 * node7 + 1, keys, at7);
    }
    int value = full.valueAt()[tree];
    int at = row * outputs + forest.groups()[tree];
    addFull(at, value + node0);
    addFull(at + outputs, value + node1);
    addFull(at + 2 * outputs, value + node2);
    addFull(at + 3 * outputs, value + node3);
    addFull(at + 4 * outputs, value + node4);
    addFull(at + 5 * outputs, value + node5);
    addFull(at + 6 * outputs, value + node6);
    addFull(at + 7 * outputs, value + node7);
  }

  private void addFull(int at, int value) {
    if (forest.isSingle()) {
      singles[at] += full.singles()[value];
    } else {
      doubles[at] += full.doubles()[value];
    }
  }

  private void treesOf(int row, int firstTree, int endTree) {
    boolean[] ruled = forest.ruled();
    int tree = firstTree;
    while (tree < endTree) {
      if (tree <= endTree - LANES
          && !(ruled[tree] || ruled[tree + 1] || ruled[tree + 2] || ruled[tree + 3])) {
        four(row, 0, tree, 1);
        tree += LANES;
      } else {
        add(row, tree, leaf(tree, row * stride));
        tree++;
      }
    }
  }

  /** One row through one tree. */
  private int leaf(int tree, int at) {
    long[] nodes = forest.nodes();
    int[] second = forest.second();
    SplitRules rules = forest.rules();
    boolean ruled = forest.ruled()[tree];
    int node = forest.roots()[tree];
    while (true) {
      int next =
          ruled && rules.ruleOf()[node] != 0
              ? second[node] - (isFirst(node, at) ? 1 : 0)
              : next(nodes[node], second[node], keys, at);
      if (next == node) {
        return node;
      }
      node = next;
    }
  }

  private boolean isFirst(int node, int at) {
    double value = block.values[(at + (int) forest.nodes()[node]) / 2];
    return forest.rules().isFirst(node, value);
  }

  /** Whether a row of the block goes to the first child of an inner node. */
  boolean isFirst(int tree, int node, int row) {
    int at = row * stride;
    if (forest.ruled()[tree] && forest.rules().ruleOf()[node] != 0) {
      return isFirst(node, at);
    }
    int second = forest.second()[node];
    return next(forest.nodes()[node], second, keys, at) != second;
  }

  /** The difference of two ints as longs is negative if the first is less: -1 after the shift. */
  private static int next(long node, int second, int[] keys, int at) {
    return second + (int) ((keys[at + (int) node] - (node >> 32)) >> 63);
  }

  private void add(int row, int tree, int leaf) {
    int width = forest.width();
    if (width == 1) {
      int at = row * outputs + forest.groups()[tree];
      if (forest.isSingle()) {
        singles[at] += forest.singles()[leaf];
      } else {
        doubles[at] += isLinear ? linear(leaf, row) : forest.doubles()[leaf];
      }
      return;
    }
    int from = forest.leafAt()[leaf];
    for (int k = 0; k < width; k++) {
      if (forest.isSingle()) {
        singles[row * outputs + k] += forest.singles()[from + k];
      } else {
        doubles[row * outputs + k] += forest.doubles()[from + k];
      }
    }
  }

  private double linear(int leaf, int row) {
    double constant = forest.doubles()[leaf];
    LinearLeaf function = forest.linear()[leaf];
    return function == null ? constant : function.value(block.values, row * stride / 2, constant);
  }
}
