package io.nereid.trees.forest;

/**
 * A leaf of LightGBM's {@code linear_tree}: a linear function of some features.
 *
 * @param constant what the terms are added to, in their order
 * @param features those of the terms
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LinearLeaf(double constant, int[] features, double[] coefficients) {
  /**
   * The value of a row.
   *
   * @param values where those of the features are, from {@code at} on
   * @param missing the value if one of them is NaN
   */
  double value(double[] values, int at, double missing) {
    double sum = constant;
    for (int i = 0; i < features.length; i++) {
      double value = values[at + features[i]];
      if (Double.isNaN(value)) {
        return missing;
      }
      sum += coefficients[i] * value;
    }
    return sum;
  }

  long byteSize() {
    return 48 + 12L * features.length;
  }
}
