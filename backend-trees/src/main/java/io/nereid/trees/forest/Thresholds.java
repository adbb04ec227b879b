package io.nereid.trees.forest;

import java.util.Arrays;

/**
 * The thresholds of each feature that nodes use, ascending and distinct, for rows of doubles that
 * are compared as doubles: the key of a value is the number of thresholds below it, so that keys
 * have the order of the values as far as the nodes can tell.
 *
 * @param at by feature that nodes use: where its thresholds begin in {@code values}; one more entry
 *     than features
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Thresholds(int[] at, double[] values) {
  static final Thresholds NONE = new Thresholds(new int[0], new double[0]);

  /**
   * The thresholds of nodes.
   *
   * @param features by node: the index of its feature among the {@code count} that nodes use
   * @param bounds by node: what {@link TreeNodes#bound} says; NaN for a node that compares nothing
   */
  static Thresholds of(int[] features, double[] bounds, int count) {
    int[] ends = new int[count + 1];
    for (int node = 0; node < bounds.length; node++) {
      if (!Double.isNaN(bounds[node])) {
        ends[features[node] + 1]++;
      }
    }
    for (int feature = 0; feature < count; feature++) {
      ends[feature + 1] += ends[feature];
    }
    double[] all = new double[ends[count]];
    int[] next = Arrays.copyOf(ends, count);
    for (int node = 0; node < bounds.length; node++) {
      if (!Double.isNaN(bounds[node])) {
        all[next[features[node]]++] = bounds[node] + 0.0; // -0.0 becomes 0.0
      }
    }
    int[] at = new int[count + 1];
    int size = 0;
    for (int feature = 0; feature < count; feature++) {
      Arrays.sort(all, ends[feature], ends[feature + 1]);
      for (int i = ends[feature]; i < ends[feature + 1]; i++) {
        if (i == ends[feature] || all[i] != all[i - 1]) {
          all[size++] = all[i];
        }
      }
      at[feature + 1] = size;
    }
    return new Thresholds(at, Arrays.copyOf(all, size));
  }

  /** The number of thresholds of a feature that are less than a value. */
  private int below(int feature, double value) {
    int from = at[feature];
    int length = at[feature + 1] - from;
    int first = from;
    while (length > 0) {
      int half = length >>> 1;
      boolean isBelow = values[first + half] < value;
      first = isBelow ? first + half + 1 : first;
      length = isBelow ? length - half - 1 : half;
    }
    return first - from;
  }

  /** Whether rows are compared as floats. */
  boolean isNone() {
    return at.length == 0;
  }

  /** The key of a value of a feature. */
  int key(int feature, double value) {
    return Double.isNaN(value) ? FloatKeys.NAN : below(feature, value);
  }

  /** The bound of {@code value <= threshold} of a feature: it holds if its key is less. */
  int boundOfAtMost(int feature, double threshold) {
    return Double.isNaN(threshold) ? 0 : below(feature, threshold) + 1;
  }

  long byteSize() {
    return 4L * at.length + 8L * values.length;
  }
}
