package io.nereid.trees.forest;

import java.util.Arrays;

/** A list of doubles that grows. */
final class DoubleList {
  private double[] values = {};
  private int size;

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, IntList.grown(size));
    }
    values[size++] = value;
  }

  int size() {
    return size;
  }

  /** A copy of the values. */
  double[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
