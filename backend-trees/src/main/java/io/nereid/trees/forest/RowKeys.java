package io.nereid.trees.forest;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/** The keys of a block of rows, and the values themselves if a walk needs them. */
final class RowKeys {
  /** By row and feature that nodes use: its key, and that of the reversed comparison. */
  final int[] keys;

  /** By row and feature that nodes use; empty if no walk needs them. */
  final double[] values;

  private final Forest forest;
  private final int width;

  /**
   * Memory for a block.
   *
   * @param width the number of values of a row, used or not
   */
  RowKeys(Forest forest, int width, int maxRows) {
    this.forest = forest;
    this.width = width;
    keys = new int[maxRows * stride(forest)];
    values = new double[forest.needsValues() ? keys.length / 2 : 0];
  }

  /** The number of keys of a row. */
  static int stride(Forest forest) {
    return 2 * forest.features().length;
  }

  /**
   * Reads rows.
   *
   * @param input of the forest's type of rows
   */
  void load(MemorySegment input, long first, int rows) {
    boolean isFloat = forest.rowType() == DataType.FP32;
    for (int row = 0; row < rows; row++) {
      int at = row * stride(forest);
      if (isFloat) {
        loadFloats(input, (first + row) * width, at);
      } else {
        loadDoubles(input, (first + row) * width, at);
      }
    }
  }

  private void loadFloats(MemorySegment input, long from, int at) {
    int[] used = forest.features();
    boolean hasValues = values.length > 0;
    for (int i = 0; i < used.length; i++) {
      float value = input.get(Elements.FLOAT, (from + used[i]) * Float.BYTES);
      set(at + 2 * i, FloatKeys.of(value));
      if (hasValues) {
        values[at / 2 + i] = value;
      }
    }
  }

  private void loadDoubles(MemorySegment input, long from, int at) {
    int[] used = forest.features();
    boolean hasValues = values.length > 0;
    Thresholds thresholds = forest.thresholds();
    boolean isRounded = thresholds.isNone();
    for (int i = 0; i < used.length; i++) {
      double stated = input.get(Elements.DOUBLE, (from + used[i]) * Double.BYTES);
      double value = isRounded ? (float) stated : stated;
      set(at + 2 * i, isRounded ? FloatKeys.of((float) value) : thresholds.key(i, value));
      if (hasValues) {
        values[at / 2 + i] = value;
      }
    }
  }

  private void set(int at, int key) {
    keys[at] = key;
    keys[at + 1] = key == FloatKeys.NAN ? key : ~key;
  }
}
