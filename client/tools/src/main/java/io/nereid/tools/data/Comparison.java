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
 * @param largest absolute difference of all numbers; NaN if one of the two is no number, or they
 *     are strings that differ
 * @param largestRelative of the same, divided by what was expected
 * @param differences the first ones
 */
public record Comparison(
    String output,
    DataType type,
    int rows,
    int differingRows,
    double largest,
    double largestRelative,
    List<Difference> differences) {

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
      String output, Tensor got, Tensor expected, Tolerance tolerance, int shown) {
    if (got.dataType() != expected.dataType() || got.elementCount() != expected.elementCount()) {
      throw new DataException("output '%s' is %s, expected %s".formatted(output, got, expected));
    }
    long[] shape = expected.shape();
    int rows = shape.length == 0 ? 1 : (int) shape[0];
    String[] texts = ElementTexts.of(got);
    String[] expectedTexts = ElementTexts.of(expected);
    int width = rows == 0 ? 1 : texts.length / rows;
    List<String> columns = RowLayout.columns(output, width);
    List<Difference> differences = new ArrayList<>();
    int differingRows = 0;
    int lastRow = -1;
    double largest = 0;
    double largestRelative = 0;
    for (int i = 0; i < texts.length; i++) {
      if (texts[i].equals(expectedTexts[i])) {
        continue;
      }
      double one = number(got.dataType(), texts[i]);
      double other = number(got.dataType(), expectedTexts[i]);
      double difference = one == other ? 0 : Math.abs(one - other);
      largest = Math.max(largest, difference); // which is NaN if one of them is
      largestRelative =
          Math.max(largestRelative, difference == 0 ? 0 : difference / Math.abs(other));
      if (isFloatingPoint(got.dataType()) && tolerance.allows(one, other)) {
        continue;
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
        output,
        got.dataType(),
        rows,
        differingRows,
        largest,
        largestRelative,
        List.copyOf(differences));
  }

  private static boolean isFloatingPoint(DataType type) {
    return switch (type) {
      case FP16, BF16, FP32, FP64 -> true;
      default -> false;
    };
  }

  private static double number(DataType type, String text) {
    return type == DataType.BYTES || type == DataType.BOOL ? Double.NaN : Double.parseDouble(text);
  }
}
