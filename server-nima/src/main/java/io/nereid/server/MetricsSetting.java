package io.nereid.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One value of {@code --metrics-config}. */
sealed interface MetricsSetting {
  /** The kinds of metrics that are on or off; Triton's names in upper case. */
  enum Name {
    COUNTER_LATENCIES,
    HISTOGRAM_LATENCIES,
    SUMMARY_LATENCIES
  }

  /** Switches a kind of metrics on or off. */
  record Switched(Name name, boolean on) implements MetricsSetting {}

  /**
   * Selects the quantiles of summaries.
   *
   * @param shares from 0 to 1
   */
  record Quantiles(List<Double> shares) implements MetricsSetting {
    public Quantiles {
      shares = List.copyOf(shares);
    }
  }

  /** {@code <setting>=<value>}. */
  final class Converter implements ITypeConverter<MetricsSetting> {
    @Override
    public MetricsSetting convert(String text) {
      int equals = text.indexOf('=');
      if (equals < 0) {
        throw new TypeConversionException("expected <setting>=<value>, got '" + text + "'");
      }
      String setting = text.substring(0, equals);
      String value = text.substring(equals + 1);
      if (setting.equals("summary_quantiles")) {
        return quantiles(value);
      }
      return new Switched(named(setting), new OptionConverters.Switch().convert(value));
    }

    private static Name named(String word) {
      for (Name name : Name.values()) {
        if (name.name().toLowerCase(Locale.ROOT).equals(word)) {
          return name;
        }
      }
      throw new TypeConversionException("unknown metrics setting '" + word + "'");
    }

    /** {@code <quantile>:<error>,...}; the error is parsed and ignored, since ours is smaller. */
    private static Quantiles quantiles(String text) {
      List<Double> shares = new ArrayList<>();
      for (String pair : text.split(",", -1)) {
        String[] numbers = pair.split(":", -1);
        if (numbers.length != 2) {
          throw invalidQuantiles(text);
        }
        shares.add(share(numbers[0], text));
        double _ = share(numbers[1], text);
      }
      return new Quantiles(shares.stream().distinct().toList());
    }

    private static double share(String number, String text) {
      try {
        double share = Double.parseDouble(number.strip());
        if (share >= 0 && share <= 1) {
          return share;
        }
      } catch (NumberFormatException noNumber) {
        throw invalidQuantiles(text);
      }
      throw invalidQuantiles(text);
    }

    private static TypeConversionException invalidQuantiles(String text) {
      return new TypeConversionException(
          "expected <quantile>:<error>,... with numbers from 0 to 1, got '" + text + "'");
    }
  }

  /** Whether a kind is on; the last setting takes precedence. */
  static boolean isOn(List<MetricsSetting> settings, Name name, boolean otherwise) {
    boolean on = otherwise;
    for (MetricsSetting setting : settings) {
      if (setting instanceof Switched switched && switched.name() == name) {
        on = switched.on();
      }
    }
    return on;
  }

  /** The quantiles of summaries; the last setting takes precedence. */
  static List<Double> quantiles(List<MetricsSetting> settings) {
    List<Double> shares = List.of(0.5, 0.9, 0.95, 0.99, 0.999);
    for (MetricsSetting setting : settings) {
      if (setting instanceof Quantiles quantiles) {
        shares = quantiles.shares();
      }
    }
    return shares;
  }
}
