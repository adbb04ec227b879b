package io.nereid.text.vector;

/** Computations of vectors and scores. */
public final class Vectors {
  /** The least length that a vector is divided by, as sentence-transformers has it. */
  private static final double LEAST_LENGTH = 1e-12;

  private Vectors() {}

  /**
   * The mean of a text's token vectors.
   *
   * @param tokens of a batch, {@code [rows, length, width]}
   * @param first the index of the first number of the row
   * @param count of the text's tokens; those behind them are padding
   */
  public static float[] mean(Floats tokens, long first, int count, int width) {
    float[] sum = new float[width];
    float[] token = new float[width];
    for (int i = 0; i < count; i++) {
      tokens.read(first + (long) i * width, token);
      for (int k = 0; k < width; k++) {
        sum[k] += token[k];
      }
    }
    for (int k = 0; k < width; k++) {
      sum[k] /= count;
    }
    return sum;
  }

  /** A vector as it is. */
  public static float[] at(Floats vectors, long first, int width) {
    float[] vector = new float[width];
    vectors.read(first, vector);
    return vector;
  }

  /** Divides a vector by its length; one of zeros stays as it is. */
  public static void normalize(float[] vector) {
    double squares = 0;
    for (float each : vector) {
      squares += (double) each * each;
    }
    double length = Math.max(Math.sqrt(squares), LEAST_LENGTH);
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) (vector[i] / length);
    }
  }

  /** Turns each number into one between 0 and 1. */
  public static void sigmoid(float[] scores) {
    for (int i = 0; i < scores.length; i++) {
      scores[i] = (float) (1 / (1 + Math.exp(-scores[i])));
    }
  }

  /** Turns numbers into shares that are 1 together. */
  public static void softmax(float[] scores) {
    float max = Float.NEGATIVE_INFINITY;
    for (float score : scores) {
      max = Math.max(max, score);
    }
    double sum = 0;
    double[] shares = new double[scores.length];
    for (int i = 0; i < scores.length; i++) {
      shares[i] = Math.exp(scores[i] - max);
      sum += shares[i];
    }
    for (int i = 0; i < scores.length; i++) {
      scores[i] = (float) (shares[i] / sum);
    }
  }
}
