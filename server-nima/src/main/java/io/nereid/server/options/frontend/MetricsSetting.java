package io.nereid.server.options.frontend;

import io.nereid.server.options.declaration.OptionConverters;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * One value of {@code --metrics-config}. Of several values with one name the last takes precedence.
 *
 * @param value valid for that name
 */
record MetricsSetting(Name name, String value) {
  /** The names of Triton's settings, in upper case, and one of ours. */
  enum Name {
    COUNTER_LATENCIES,
    HISTOGRAM_LATENCIES,
    PHASE_HISTOGRAMS,
    SUMMARY_LATENCIES,
    SUMMARY_QUANTILES
  }

  private static final List<Double> DEFAULT_QUANTILES = List.of(0.5, 0.9, 0.95, 0.99, 0.999);

  /** {@code <setting>=<value>}. */
  static MetricsSetting parse(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new TypeConversionException("expected <setting>=<value>, got '" + text + "'");
    }
    String word = text.substring(0, equals);
    Name name =
        Arrays.stream(Name.values())
            .filter(candidate -> candidate.name().toLowerCase(Locale.ROOT).equals(word))
            .findFirst()
            .orElseThrow(
                () -> new TypeConversionException("unknown metrics setting '" + word + "'"));
    var setting = new MetricsSetting(name, text.substring(equals + 1));
    Object _ = name == Name.SUMMARY_QUANTILES ? setting.toQuantiles() : setting.toBoolean();
    return setting;
  }

  static boolean isOn(List<MetricsSetting> settings, Name name, boolean defaultValue) {
    return last(settings, name).map(MetricsSetting::toBoolean).orElse(defaultValue);
  }

  static List<Double> quantiles(List<MetricsSetting> settings) {
    return last(settings, Name.SUMMARY_QUANTILES)
        .map(MetricsSetting::toQuantiles)
        .orElse(DEFAULT_QUANTILES);
  }

  private static Optional<MetricsSetting> last(List<MetricsSetting> settings, Name name) {
    return settings.stream().filter(setting -> setting.name == name).reduce((_, later) -> later);
  }

  private boolean toBoolean() {
    return OptionConverters.toggle(value);
  }

  /** {@code <quantile>:<error>,...}; the error is validated and ignored, since ours is smaller. */
  private List<Double> toQuantiles() {
    return Arrays.stream(value.split(",", -1))
        .map(pair -> quantile(pair.split(":", -1)))
        .distinct()
        .toList();
  }

  private Double quantile(String[] pair) {
    if (pair.length == 2) {
      double quantile = number(pair[0]);
      double error = number(pair[1]);
      if (quantile >= 0 && quantile <= 1 && error >= 0 && error <= 1) {
        return quantile;
      }
    }
    throw new TypeConversionException(
        "expected <quantile>:<error>,... with numbers from 0 to 1, got '" + value + "'");
  }

  /** The number that a text begins with, as {@code std::stod} reads it; NaN if it does not. */
  private static double number(String text) {
    Matcher number =
        Pattern.compile("\\s*([-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?)").matcher(text);
    return number.lookingAt() ? Double.parseDouble(number.group(1)) : Double.NaN;
  }
}
