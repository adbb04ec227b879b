package io.nereid.trees.forest;

/**
 * The rule of Gauss and Legendre on the interval from 0 to 1, which integrates polynomials up to
 * degree {@code 2 * size - 1} exactly.
 *
 * @param points ascending, none of them 0 or 1
 * @param weights whose sum is 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Quadrature(double[] points, double[] weights) {
  private static final double PRECISE = 1e-16;

  private static final int MAX_STEPS = 100;

  /** The rule with that many points, at least 1. */
  static Quadrature of(int size) {
    double[] points = new double[size];
    double[] weights = new double[size];
    for (int i = 0; i < size; i++) {
      // Newton's method from an approximation of the root of Legendre's polynomial
      double x = -Math.cos(Math.PI * (i + 0.75) / (size + 0.5));
      double slope = 1;
      for (int step = 0; step < MAX_STEPS; step++) {
        double value = x;
        double before = 1;
        for (int degree = 2; degree <= size; degree++) {
          double next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
          before = value;
          value = next;
        }
        slope = size * (x * value - before) / (x * x - 1);
        double change = value / slope;
        x -= change;
        if (Math.abs(change) <= PRECISE) {
          break;
        }
      }
      points[i] = (1 + x) / 2;
      weights[i] = 1 / ((1 - x * x) * slope * slope);
    }
    return new Quadrature(points, weights);
  }

  int size() {
    return points.length;
  }
}
