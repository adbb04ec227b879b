package io.nereid.trees.forest;

import java.util.Arrays;

/** A list of integers that grows. */
public final class IntList {
  private int[] values = {};
  private int size;

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, grown(size));
    }
    values[size++] = value;
  }

  public int size() {
    return size;
  }

  int get(int index) {
    return values[index];
  }

  void set(int index, int value) {
    values[index] = value;
  }

  /** A copy of the values. */
  public int[] toArray() {
    return Arrays.copyOf(values, size);
  }

  /** The next length of an array that is full. */
  public static int grown(int length) {
    return Math.addExact(length, Math.max(16, length >> 1));
  }
}
