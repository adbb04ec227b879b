package io.nereid.server.options;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.error.InferenceException;
import io.nereid.server.options.declaration.NamedSetting;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** The options of traces, with Triton's spellings and messages. */
public final class TraceOptions extends OptionGroup {
  private static final String TRITON = "triton";
  private static final String OPEN_TELEMETRY = "opentelemetry";

  /** Numbers of the batch span processor, with their defaults. */
  private static final Map<String, Integer> BATCH_DEFAULTS =
      new TreeMap<>(
          Map.of(
              "bsp_max_queue_size", 2048,
              "bsp_schedule_delay", 5000,
              "bsp_max_export_batch_size", 512));

  private final OptionValue<List<NamedSetting>> settings =
      list("--trace-config=<setting>=<value>", TraceOptions::setting)
          .help(
              "Setting of traces: level=TIMESTAMPS, level=TENSORS or level=OFF, rate=<requests>,"
                  + " count=<traces>, mode=triton, triton,file=<file>,"
                  + " triton,log-frequency=<traces>, triton,max-bytes=<bytes>,"
                  + " triton,max-files=<files>, triton,max-elements=<elements>;"
                  + " mode=opentelemetry, opentelemetry,url=<url>,"
                  + " opentelemetry,resource=<key>=<value>,"
                  + " opentelemetry,bsp_max_queue_size=<spans>,"
                  + " opentelemetry,bsp_schedule_delay=<ms>,"
                  + " opentelemetry,bsp_max_export_batch_size=<spans>."
                  + " Repeatable. Default: no traces.");

  private final OptionValue<Path> exporters =
      folder("--trace-exporter-directory", "traces")
          .help(
              "Directory with one folder of jars per mode of traces other than triton."
                  + " Default: traces/ of the distribution.");

  private final OptionValue<String> file =
      option("--trace-file=<file>", String.class, null)
          .help("Deprecated: stands for --trace-config triton,file=<file>.");

  private final OptionValue<List<Optional<TraceLevel>>> levels =
      list("--trace-level=<level>", TraceOptions::level)
          .help("Deprecated: stands for --trace-config level=<level>. Repeatable.");

  private final OptionValue<Integer> rate =
      option("--trace-rate=<requests>", OptionConverters::count)
          .help("Deprecated: stands for --trace-config rate=<requests>.");

  private final OptionValue<Integer> count =
      option("--trace-count=<traces>", TraceOptions::remaining)
          .help("Deprecated: stands for --trace-config count=<traces>.");

  private final OptionValue<Integer> logFrequency =
      option("--trace-log-frequency=<traces>", OptionConverters::count)
          .help("Deprecated: stands for --trace-config triton,log-frequency=<traces>.");

  /** Warns of options that are deprecated. */
  void check(CommandLine line) {
    deprecated(line, "--trace-file", "triton,file=<filepath>", file.given().isPresent());
    deprecated(line, "--trace-level", "level=<OFF|TIMESTAMPS|TENSORS>", !levels.get().isEmpty());
    deprecated(line, "--trace-rate", "rate=<rate value>", rate.given().isPresent());
    deprecated(line, "--trace-count", "count=<count value>", count.given().isPresent());
    deprecated(
        line,
        "--trace-log-frequency",
        "triton,log-frequency=<log frequency value>",
        logFrequency.given().isPresent());
  }

  private static void deprecated(CommandLine line, String option, String instead, boolean given) {
    if (given) {
      line.getErr()
          .println(
              "Warning: '%s' has been deprecated and will be removed. Please use '--trace-config %s' instead."
                  .formatted(option, instead));
    }
  }

  /** Where exporters of traces are: folders of jars. */
  public Path exporterDirectory() {
    return exporters.get();
  }

  /**
   * The settings; those of {@code --trace-config} take the place of deprecated ones.
   *
   * @param environment the environment variables of the process
   * @throws InferenceException INVALID_ARGUMENT if a variable that counts is not valid
   */
  public TraceSettings settings(Map<String, String> environment) {
    TraceSettings otherwise = TraceSettings.DEFAULT;
    return new TraceSettings(
        allLevels(),
        number("", "rate").or(rate::given).map(Number::longValue).orElse(otherwise.rate()),
        number("", "count").or(count::given).orElse(otherwise.count()),
        number(TRITON, "log-frequency")
            .or(logFrequency::given)
            .map(Number::longValue)
            .orElse(otherwise.logFrequency()),
        last("", "mode").orElse(TRITON).equals(OPEN_TELEMETRY)
            ? openTelemetry(environment)
            : new TraceDestination.Files(
                last(TRITON, "file").or(file::given).orElse(""),
                last(TRITON, "max-bytes")
                    .map(Long::valueOf)
                    .orElse(TraceDestination.Files.DEFAULT_MAX_BYTES),
                number(TRITON, "max-files").orElse(TraceDestination.Files.DEFAULT_MAX_FILES),
                number(TRITON, "max-elements")
                    .orElse(TraceDestination.Files.DEFAULT_MAX_ELEMENTS)));
  }

  /** Those of the command line, then the numbers of the environment or their defaults. */
  private TraceDestination openTelemetry(Map<String, String> environment) {
    List<Map.Entry<String, String>> options = new ArrayList<>();
    for (NamedSetting setting : settings.get()) {
      if (setting.name().equals(OPEN_TELEMETRY)) {
        options.add(Map.entry(setting.key(), setting.value()));
      }
    }
    BATCH_DEFAULTS.forEach((name, otherwise) -> {
      if (last(OPEN_TELEMETRY, name).isEmpty()) {
        String variable = "OTEL_" + name.toUpperCase(Locale.ROOT);
        String value = environment.getOrDefault(variable, "");
        options.add(
            Map.entry(
                name, value.isEmpty() ? otherwise.toString() : ofEnvironment(variable, value)));
      }
    });
    return new TraceDestination.OpenTelemetry(options);
  }

  private static String ofEnvironment(String variable, String value) {
    try {
      return Integer.toString(OptionConverters.count(value));
    } catch (TypeConversionException wrong) {
      throw InferenceException.invalid(
          "Bad option: \"%s\". %s".formatted(variable, wrong.getMessage()));
    }
  }

  /** All levels that are given; none if one of them is off. */
  private Set<TraceLevel> allLevels() {
    List<Optional<TraceLevel>> given = new ArrayList<>(levels.get());
    settings.get().stream()
        .filter(setting -> setting.name().isEmpty() && setting.key().equals("level"))
        .forEach(setting -> given.add(level(setting.value())));
    return given.contains(Optional.<TraceLevel>empty())
        ? Set.of()
        : given.stream().flatMap(Optional::stream).collect(Collectors.toSet());
  }

  private Optional<String> last(String mode, String key) {
    return settings.get().stream()
        .filter(setting -> setting.name().equals(mode) && setting.key().equals(key))
        .map(NamedSetting::value)
        .reduce((_, later) -> later);
  }

  private Optional<Integer> number(String mode, String key) {
    return last(mode, key).map(Integer::valueOf);
  }

  /** A level in any letter case; empty for none. */
  private static Optional<TraceLevel> level(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "false", "off" -> Optional.empty();
      case "true", "on", "min", "max", "timestamps" -> Optional.of(TraceLevel.TIMESTAMPS);
      case "tensors" -> Optional.of(TraceLevel.TENSORS);
      default -> throw new TypeConversionException("invalid value for trace level option: " + text);
    };
  }

  /** A number of traces that are left; -1 for any number. */
  private static int remaining(String text) {
    return text.equals("-1") ? -1 : OptionConverters.count(text);
  }

  /** {@code <setting>=<value>} or {@code <mode>,<setting>=<value>}. */
  private static NamedSetting setting(String text) {
    int comma = text.indexOf(',');
    if (comma == 0) {
      throw new TypeConversionException(
          "No trace mode specified. --trace-config option format is <trace"
              + " mode>,<setting>=<value> or <setting>=<value>. Got "
              + text);
    }
    String mode = comma < 0 ? "" : mode(text.substring(0, comma));
    int equals = text.indexOf('=', comma + 1);
    if (equals <= comma + 1 || equals == text.length() - 1) {
      throw new TypeConversionException(
          "--trace-config option format is '<trace mode>,<setting>=<value>'. Got " + text);
    }
    String key = text.substring(comma + 1, equals);
    String setting = mode.isEmpty() ? key : mode + "," + key;
    try {
      return new NamedSetting(mode, key, checked(setting, text.substring(equals + 1)));
    } catch (TypeConversionException wrong) {
      throw new TypeConversionException(
          "Bad option: \"--trace-config %s\". %s".formatted(setting, wrong.getMessage()));
    }
  }

  /** Checks the value of a known setting; others are ignored, as in Triton. */
  private static String checked(String setting, String value) {
    switch (setting) {
      case "mode" -> {
        return mode(value);
      }
      case "level" -> level(value);
      case "rate",
          "triton,log-frequency",
          "triton,max-elements",
          "triton,max-files",
          "opentelemetry,bsp_max_queue_size",
          "opentelemetry,bsp_schedule_delay",
          "opentelemetry,bsp_max_export_batch_size" ->
          OptionConverters.count(value);
      case "triton,max-bytes" -> OptionConverters.byteSize(value);
      case "count" -> remaining(value);
      default -> {} // triton,file takes any value
    }
    return value;
  }

  private static String mode(String text) {
    String mode = text.toLowerCase(Locale.ROOT);
    if (!mode.equals(TRITON) && !mode.equals(OPEN_TELEMETRY)) {
      throw new TypeConversionException(
          "invalid value for trace mode option: %s. Available options are \"triton\" and"
                  .formatted(text)
              + " \"opentelemetry\"");
    }
    return mode;
  }
}
