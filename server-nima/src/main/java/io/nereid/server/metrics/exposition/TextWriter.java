package io.nereid.server.metrics.exposition;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Writes metrics in Prometheus' text format, version 0.0.4. Labels are sorted by name, as Triton's
 * are.
 */
public final class TextWriter implements MetricWriter {
  private final StringBuilder text = new StringBuilder(1 << 14);
  private String family = "";

  @Override
  public void family(Kind kind, String name, String help) {
    family = name;
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(kind.text()).append('\n');
  }

  @Override
  public void sample(Labels labels, BigDecimal value) {
    text.append(family);
    labels.appendTo(text);
    text.append(' ').append(value.toPlainString()).append('\n');
  }

  @Override
  public void sample(Labels labels, long value) {
    sample("", labels, value);
  }

  private void sample(String suffix, Labels labels, long value) {
    text.append(family).append(suffix);
    labels.appendTo(text);
    text.append(' ').append(value).append('\n');
  }

  @Override
  public void histogram(
      Labels labels,
      BucketBounds bounds,
      long[] cumulative,
      BigDecimal sum,
      Supplier<Optional<NativeHistogram>> exact) {
    for (int i = 0; i < cumulative.length; i++) {
      text.append(family).append("_bucket");
      labels.appendTo(text, "le", i == bounds.size() ? "+Inf" : bounds.text(i));
      text.append(' ').append(cumulative[i]).append('\n');
    }
    text.append(family).append("_sum");
    labels.appendTo(text);
    text.append(' ').append(sum.toPlainString()).append('\n');
    sample("_count", labels, cumulative[cumulative.length - 1]);
  }

  @Override
  public void summary(Labels labels, List<Quantile> quantiles, long sum, long count) {
    for (Quantile quantile : quantiles) {
      text.append(family);
      labels.appendTo(text, "quantile", BucketBounds.text(quantile.share()));
      text.append(' ');
      if (quantile.value().isPresent()) {
        text.append(quantile.value().getAsLong());
      } else {
        text.append("NaN");
      }
      text.append('\n');
    }
    sample("_sum", labels, sum);
    sample("_count", labels, count);
  }

  @Override
  public byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
