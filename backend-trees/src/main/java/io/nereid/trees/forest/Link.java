package io.nereid.trees.forest;

/**
 * The function that makes predictions of a row's margins, as the library that trained the model
 * computes it.
 *
 * @param parameter what {@link Kind} says; 1 if it says nothing
 * @param divisor what margins are divided by before, where the library averages only predictions; 0
 *     where it does not
 */
public record Link(Kind kind, double parameter, double divisor) {
  /** The functions. Those of floats round every step to single precision, as XGBoost does. */
  public enum Kind {
    IDENTITY,
    /** 1 / (1 + e^-x), of floats. */
    FLOAT_SIGMOID,
    /** e^x, of floats. */
    FLOAT_EXP,
    /** Of floats; the sum is of double precision. */
    FLOAT_SOFTMAX,
    /** 1 if x is above 0, else 0. */
    HINGE,
    /** 1 / (1 + e^-ax); the parameter is a. */
    SIGMOID,
    EXP,
    SOFTMAX,
    /** x * |x|. */
    SIGNED_SQUARE,
    /** ln(1 + e^x). */
    LOG_ONE_PLUS_EXP,
    /** 2^(-x/c); the parameter is c. */
    EXP2_RATIO
  }

  public static final Link IDENTITY = of(Kind.IDENTITY);

  /** A function without a parameter. */
  public static Link of(Kind kind) {
    return of(kind, 1);
  }

  /** A function with its parameter. */
  public static Link of(Kind kind, double parameter) {
    return new Link(kind, parameter, 0);
  }

  /** This function of averages. */
  public Link ofAverage(double count) {
    return new Link(kind, parameter, count);
  }

  public boolean averages() {
    return divisor > 0;
  }

  /** Replaces the margins of one row, {@code values[from, to)}. */
  public void apply(double[] values, int from, int to) {
    if (divisor > 1) {
      for (int i = from; i < to; i++) {
        values[i] /= divisor;
      }
    }
    switch (kind) {
      case IDENTITY -> {}
      case SOFTMAX -> softmax(values, from, to);
      case FLOAT_SOFTMAX -> floatSoftmax(values, from, to);
      case FLOAT_SIGMOID,
          FLOAT_EXP,
          HINGE,
          SIGMOID,
          EXP,
          SIGNED_SQUARE,
          LOG_ONE_PLUS_EXP,
          EXP2_RATIO -> {
        for (int i = from; i < to; i++) {
          values[i] = of(values[i]);
        }
      }
    }
  }

  private double of(double margin) {
    return switch (kind) {
      case FLOAT_SIGMOID -> floatSigmoid((float) margin);
      case FLOAT_EXP -> FloatExp.exp((float) margin);
      case HINGE -> margin > 0 ? 1 : 0;
      case SIGMOID -> 1 / (1 + Math.exp(-parameter * margin));
      case EXP -> Math.exp(margin);
      case SIGNED_SQUARE -> margin * Math.abs(margin);
      case LOG_ONE_PLUS_EXP -> Math.log1p(Math.exp(margin));
      case EXP2_RATIO -> Math.pow(2, -margin / parameter);
      case IDENTITY, SOFTMAX, FLOAT_SOFTMAX -> throw new IllegalStateException(kind.name());
    };
  }

  /** As XGBoost bounds it: e^88.7 is still a float. */
  private static float floatSigmoid(float margin) {
    float exponential = FloatExp.exp(Math.min(-margin, 88.7f));
    return 1 / (exponential + 1 + 1e-16f);
  }

  private static void floatSoftmax(double[] values, int from, int to) {
    double largest = largest(values, from, to);
    double sum = 0;
    for (int i = from; i < to; i++) {
      float exponential = FloatExp.exp((float) (values[i] - largest));
      values[i] = exponential;
      sum += exponential;
    }
    float total = (float) sum;
    for (int i = from; i < to; i++) {
      values[i] = (float) values[i] / total;
    }
  }

  private static void softmax(double[] values, int from, int to) {
    double largest = largest(values, from, to);
    double sum = 0;
    for (int i = from; i < to; i++) {
      values[i] = Math.exp(values[i] - largest);
      sum += values[i];
    }
    for (int i = from; i < to; i++) {
      values[i] /= sum;
    }
  }

  private static double largest(double[] values, int from, int to) {
    double largest = values[from];
    for (int i = from + 1; i < to; i++) {
      largest = Math.max(largest, values[i]);
    }
    return largest;
  }
}
