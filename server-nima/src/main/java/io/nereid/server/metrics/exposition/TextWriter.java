package io.nereid.server.metrics.exposition;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
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
    String type = kind.name().toLowerCase(Locale.ROOT);
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  @Override
  public void sample(Labels labels, BigDecimal value) {
    sample("", labels, value.toPlainString());
  }

  private void sample(String suffix, Labels labels, Object value) {
    text.append(family).append(suffix).append(labels).append(' ').append(value).append('\n');
  }

  @Override
  public void histogram(
      Labels labels,
      BucketBounds bounds,
      long[] cumulative,
      BigDecimal sum,
      Supplier<Optional<NativeHistogram>> exact) {
    for (int i = 0; i < cumulative.length; i++) {
      String bound = i == bounds.size() ? "+Inf" : bounds.text(i);
      sample("_bucket", labels.with("le", bound), cumulative[i]);
    }
    sample("_sum", labels, sum.toPlainString());
    sample("_count", labels, cumulative[cumulative.length - 1]);
  }

  @Override
  public void summary(Labels labels, List<Quantile> quantiles, long sum, long count) {
    for (Quantile quantile : quantiles) {
      OptionalLong value = quantile.value();
      sample(
          "",
          labels.with("quantile", BucketBounds.text(quantile.share())),
          value.isPresent() ? value.getAsLong() : "NaN");
    }
    sample("_sum", labels, sum);
    sample("_count", labels, count);
  }

  @Override
  public byte[] bytes() {
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
