package io.nereid.server;

import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One {@code --metrics-config}. */
record MetricsSetting(Name name, boolean on) {
  /** What can be switched on and off, by Triton's names in lower case. */
  enum Name {
    COUNTER_LATENCIES(true),
    HISTOGRAM_LATENCIES(false),
    SUMMARY_LATENCIES(false);

    private final boolean available;

    Name(boolean available) {
      this.available = available;
    }
  }

  /** {@code <setting>=<boolean>}. */
  static final class Converter implements ITypeConverter<MetricsSetting> {
    @Override
    public MetricsSetting convert(String text) {
      int equals = text.indexOf('=');
      if (equals < 0) {
        throw new TypeConversionException("expected <setting>=<boolean>, got '" + text + "'");
      }
      Name name = named(text.substring(0, equals));
      boolean on = new ServerOptions.Switch().convert(text.substring(equals + 1));
      if (on && !name.available) {
        throw new TypeConversionException(
            "'%s' is not available".formatted(text.substring(0, equals)));
      }
      return new MetricsSetting(name, on);
    }

    private static Name named(String word) {
      for (Name name : Name.values()) {
        if (name.name().toLowerCase(Locale.ROOT).equals(word)) {
          return name;
        }
      }
      throw new TypeConversionException("there is no metrics setting '" + word + "'");
    }
  }

  /** Whether it is on; of two values the later one counts. */
  static boolean isOn(List<MetricsSetting> settings, Name name, boolean otherwise) {
    boolean on = otherwise;
    for (MetricsSetting setting : settings) {
      on = setting.name() == name ? setting.on() : on;
    }
    return on;
  }
}
