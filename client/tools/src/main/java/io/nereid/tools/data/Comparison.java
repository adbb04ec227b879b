package io.nereid.tools.data;

import io.nereid.client.DataType;
import io.nereid.client.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * An output beside what was expected of it, which was rounded to the same data type. Floating-point
 * numbers are equal as {@code numpy.allclose} says, with NaN equal to NaN; all else if it is the
 * same.
 *
 * @param rows that were compared
 * @param differingRows how many have a value that differs
 * @param differences the first ones
 */
public record Comparison(
    String output,
    DataType type,
    int rows,
    int differingRows,
    Largest largest,
    List<Difference> differences) {

  /**
   * The largest differences of numbers, in one value or in two.
   *
   * @param relative divided by what was expected
   * @param halfMissing how many values are NaN on one side, and so have no difference
   */
  public record Largest(double absolute, double relative, int halfMissing) {
    private static final Largest NONE = new Largest(0, 0, 0);

    private Largest with(double got, double expected) {
      if (Double.isNaN(got) || Double.isNaN(expected)) {
        return new Largest(absolute, relative, halfMissing + 1);
      }
      double difference = got == expected ? 0 : Math.abs(got - expected);
      return new Largest(
          Math.max(absolute, difference),
          Math.max(relative, difference == 0 ? 0 : difference / Math.abs(expected)),
          halfMissing);
    }
  }

  /** A value that differs. */
  public record Difference(int row, String column, String got, String expected) {}

  /**
   * What may differ.
   *
   * @param relative to the expected number
   * @param absolute added to that
   */
  public record Tolerance(double relative, double absolute) {
    boolean allows(double got, double expected) {
      return got == expected
          || (Double.isNaN(got) && Double.isNaN(expected))
          || (!Double.isInfinite(expected)
              && Math.abs(got - expected) <= absolute + relative * Math.abs(expected));
    }
  }

  /**
   * Compares.
   *
   * @param shown how many differences are kept
   * @throws DataException if the tensors have other numbers of values
   */
  public static Comparison of(
      String output,
      Tensor got,
      Tensor expected,
      ColumnNames names,
      Tolerance tolerance,
      int shown) {
    if (got.dataType() != expected.dataType() || got.elementCount() != expected.elementCount()) {
      throw new DataException("output '%s' is %s, expected %s".formatted(output, got, expected));
    }
    long[] shape = expected.shape();
    int rows = shape.length == 0 ? 1 : (int) shape[0];
    String[] texts = ElementTexts.of(got);
    String[] expectedTexts = ElementTexts.of(expected);
    int width = rows == 0 ? 1 : texts.length / rows;
    List<String> columns = names.of(output, width);
    List<Difference> differences = new ArrayList<>();
    int differingRows = 0;
    int lastRow = -1;
    Largest largest = Largest.NONE;
    for (int i = 0; i < texts.length; i++) {
      if (texts[i].equals(expectedTexts[i])) {
        continue;
      }
      if (isNumber(got.dataType())) {
        double one = Double.parseDouble(texts[i]);
        double other = Double.parseDouble(expectedTexts[i]);
        largest = largest.with(one, other);
        if (isFloatingPoint(got.dataType()) && tolerance.allows(one, other)) {
          continue;
        }
      }
      if (i / width != lastRow) {
        lastRow = i / width;
        differingRows++;
      }
      if (differences.size() < shown) {
        differences.add(
            new Difference(lastRow + 1, columns.get(i % width), texts[i], expectedTexts[i]));
      }
    }
    return new Comparison(
        output, got.dataType(), rows, differingRows, largest, List.copyOf(differences));
  }

  private static boolean isFloatingPoint(DataType type) {
    return switch (type) {
      case FP16, BF16, FP32, FP64 -> true;
      default -> false;
    };
  }

  /** Whether values of a type have differences. */
  public static boolean isNumber(DataType type) {
    return type != DataType.BYTES && type != DataType.BOOL;
  }
}
