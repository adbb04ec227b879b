package io.nereid.server.metrics.exposition;

import java.math.BigDecimal;
import java.util.List;

/** The upper bounds of a histogram's buckets, but for the last one's, which is infinite. */
public final class BucketBounds {
  private final List<Double> bounds;
  private final List<String> texts;

  /**
   * @param bounds ascending
   */
  public BucketBounds(List<Double> bounds) {
    this.bounds = List.copyOf(bounds);
    texts = bounds.stream().map(BucketBounds::text).toList();
  }

  int size() {
    return bounds.size();
  }

  double bound(int index) {
    return bounds.get(index);
  }

  String text(int index) {
    return texts.get(index);
  }

  /** A number without trailing zeros. */
  static String text(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
