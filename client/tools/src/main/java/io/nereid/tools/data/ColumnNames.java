package io.nereid.tools.data;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * How the values that a row has of a tensor are named as columns: as the tensor, with indices in
 * brackets if there are several, or the names of the model's features.
 *
 * @param features of the model, in the order of its rows; empty if they are not known
 * @param explained the outputs with a value for each feature and behind them the expected margin,
 *     once for each margin
 */
public record ColumnNames(List<String> features, Set<String> explained) {
  /** Of models whose features are not known. */
  public static final ColumnNames NUMBERED = new ColumnNames(List.of(), Set.of());

  private static final String EXPECTED = "bias"; // as XGBoost names it

  public ColumnNames {
    features = List.copyOf(features);
    explained = Set.copyOf(explained);
  }

  /**
   * The columns of a tensor, such as {@code x} of one value, {@code x[0]} and {@code x[1]} of two,
   * {@code x[age]} and {@code x[bias]} of what explains the feature {@code age}.
   */
  List<String> of(String tensor, long width) {
    int block = features.size() + 1;
    if (!explained.contains(tensor)
        || features.isEmpty()
        || features.contains(EXPECTED)
        || width % block != 0) {
      return numbered(tensor, width);
    }
    return numbered(tensor, width / block).stream()
        .flatMap(margin ->
            IntStream.range(0, block)
                .mapToObj(i -> i < features.size() ? features.get(i) : EXPECTED)
                .map(name -> margin + "[" + name + "]"))
        .toList();
  }

  static List<String> numbered(String tensor, long width) {
    return width == 1
        ? List.of(tensor)
        : IntStream.range(0, Math.toIntExact(width)).mapToObj(i -> tensor + "[" + i + "]").toList();
  }
}
