package io.nereid.server.options;

import io.nereid.engine.telemetry.trace.TraceDestination;
import io.nereid.engine.telemetry.trace.TraceLevel;
import io.nereid.engine.telemetry.trace.TraceSettings;
import io.nereid.error.InferenceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of traces, with Triton's spellings and messages. */
public final class TraceOptions {
  /**
   * One value of {@code --trace-config}.
   *
   * @param mode empty for a setting of all modes
   */
  record Setting(String mode, String key, String value) {}

  /** One value of {@code --trace-level}. Of a set, picocli would collect the elements instead. */
  record Levels(Set<TraceLevel> all) {}

  private static final String TRITON = "triton";
  private static final String OPEN_TELEMETRY = "opentelemetry";

  /** Numbers of the batch span processor, with their defaults. */
  private static final Map<String, Integer> BATCH_DEFAULTS =
      new TreeMap<>(
          Map.of(
              "bsp_max_queue_size", 2048,
              "bsp_schedule_delay", 5000,
              "bsp_max_export_batch_size", 512));

  @Option(
      names = "--trace-config",
      paramLabel = "<setting>=<value>",
      converter = Converter.class,
      description =
          "Setting of traces: level=TIMESTAMPS, level=TENSORS or level=OFF, rate=<requests>,"
              + " count=<traces>, mode=triton, triton,file=<file>, triton,log-frequency=<traces>,"
              + " triton,max-bytes=<bytes>, triton,max-files=<files>,"
              + " triton,max-elements=<elements>;"
              + " mode=opentelemetry, opentelemetry,url=<url>,"
              + " opentelemetry,resource=<key>=<value>, opentelemetry,bsp_max_queue_size=<spans>,"
              + " opentelemetry,bsp_schedule_delay=<ms>,"
              + " opentelemetry,bsp_max_export_batch_size=<spans>."
              + " Repeatable. Default: no traces.")
  private List<Setting> settings = new ArrayList<>();

  @Option(
      names = "--trace-exporter-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per mode of traces other than triton."
              + " Default: traces/ of the distribution.")
  private Path exporters = BackendOptions.distribution().resolve("traces");

  @Option(
      names = "--trace-file",
      paramLabel = "<file>",
      description = "Deprecated: stands for --trace-config triton,file=<file>.")
  private @Nullable String file;

  @Option(
      names = "--trace-level",
      paramLabel = "<level>",
      converter = Level.class,
      description = "Deprecated: stands for --trace-config level=<level>. Repeatable.")
  private List<Levels> levels = new ArrayList<>();

  @Option(
      names = "--trace-rate",
      paramLabel = "<requests>",
      converter = OptionConverters.Count.class,
      description = "Deprecated: stands for --trace-config rate=<requests>.")
  private @Nullable Integer rate;

  @Option(
      names = "--trace-count",
      paramLabel = "<traces>",
      converter = Remaining.class,
      description = "Deprecated: stands for --trace-config count=<traces>.")
  private @Nullable Integer count;

  @Option(
      names = "--trace-log-frequency",
      paramLabel = "<traces>",
      converter = OptionConverters.Count.class,
      description = "Deprecated: stands for --trace-config triton,log-frequency=<traces>.")
  private @Nullable Integer logFrequency;

  /** Warns of options that are deprecated. */
  void check(CommandLine line) {
    deprecated(line, "--trace-file", "triton,file=<filepath>", file != null);
    deprecated(line, "--trace-level", "level=<OFF|TIMESTAMPS|TENSORS>", !levels.isEmpty());
    deprecated(line, "--trace-rate", "rate=<rate value>", rate != null);
    deprecated(line, "--trace-count", "count=<count value>", count != null);
    deprecated(
        line,
        "--trace-log-frequency",
        "triton,log-frequency=<log frequency value>",
        logFrequency != null);
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
    return exporters;
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
        last("", "rate").map(Long::valueOf).orElse(rate == null ? otherwise.rate() : rate),
        last("", "count").map(Integer::valueOf).orElse(count == null ? otherwise.count() : count),
        last(TRITON, "log-frequency")
            .map(Long::valueOf)
            .orElse(logFrequency == null ? otherwise.logFrequency() : logFrequency),
        last("", "mode").orElse(TRITON).equals(OPEN_TELEMETRY)
            ? openTelemetry(environment)
            : new TraceDestination.Files(
                last(TRITON, "file").orElse(file == null ? "" : file),
                last(TRITON, "max-bytes")
                    .map(Long::valueOf)
                    .orElse(TraceDestination.Files.DEFAULT_MAX_BYTES),
                last(TRITON, "max-files")
                    .map(Integer::valueOf)
                    .orElse(TraceDestination.Files.DEFAULT_MAX_FILES),
                last(TRITON, "max-elements")
                    .map(Integer::valueOf)
                    .orElse(TraceDestination.Files.DEFAULT_MAX_ELEMENTS)));
  }

  /** Those of the command line, then the numbers of the environment or their defaults. */
  private TraceDestination openTelemetry(Map<String, String> environment) {
    List<Map.Entry<String, String>> options = new ArrayList<>();
    for (Setting setting : settings) {
      if (setting.mode.equals(OPEN_TELEMETRY)) {
        options.add(Map.entry(setting.key, setting.value));
      }
    }
    BATCH_DEFAULTS.forEach((name, otherwise) -> {
      if (last(OPEN_TELEMETRY, name).isEmpty()) {
        String variable = "OTEL_" + name.toUpperCase(Locale.ROOT);
        String value = environment.getOrDefault(variable, "");
        options.add(
            Map.entry(name, value.isEmpty() ? otherwise.toString() : number(variable, value)));
      }
    });
    return new TraceDestination.OpenTelemetry(options);
  }

  private static String number(String variable, String value) {
    try {
      return Integer.toString(OptionConverters.count(value));
    } catch (TypeConversionException wrong) {
      throw InferenceException.invalid(
          "Bad option: \"%s\". %s".formatted(variable, wrong.getMessage()));
    }
  }

  /** All levels that are given; none if one of them is off. */
  private Set<TraceLevel> allLevels() {
    List<Set<TraceLevel>> given = new ArrayList<>();
    levels.forEach(option -> given.add(option.all));
    for (Setting setting : settings) {
      if (setting.mode.isEmpty() && setting.key.equals("level")) {
        given.add(Level.parse(setting.value));
      }
    }
    if (given.contains(Set.of())) {
      return Set.of();
    }
    Set<TraceLevel> all = EnumSet.noneOf(TraceLevel.class);
    given.forEach(all::addAll);
    return all;
  }

  private Optional<String> last(String mode, String key) {
    return settings.stream()
        .filter(setting -> setting.mode.equals(mode) && setting.key.equals(key))
        .map(Setting::value)
        .reduce((_, later) -> later);
  }

  /** A level in any letter case. */
  static final class Level implements ITypeConverter<Levels> {
    @Override
    public Levels convert(String text) {
      return new Levels(parse(text));
    }

    static Set<TraceLevel> parse(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "false", "off" -> Set.of();
        case "true", "on", "min", "max", "timestamps" -> Set.of(TraceLevel.TIMESTAMPS);
        case "tensors" -> Set.of(TraceLevel.TENSORS);
        default ->
            throw new TypeConversionException("invalid value for trace level option: " + text);
      };
    }
  }

  /** A number of traces that are left; -1 for any number. */
  static final class Remaining implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return text.equals("-1") ? -1 : OptionConverters.count(text);
    }
  }

  /** {@code <setting>=<value>} or {@code <mode>,<setting>=<value>}. */
  static final class Converter implements ITypeConverter<Setting> {
    @Override
    public Setting convert(String text) {
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
      String value = text.substring(equals + 1);
      try {
        return new Setting(mode, key, checked(mode, key, value));
      } catch (TypeConversionException wrong) {
        throw new TypeConversionException(
            "Bad option: \"--trace-config %s\". %s"
                .formatted(mode.isEmpty() ? key : mode + "," + key, wrong.getMessage()));
      }
    }

    /** Checks the value of a known setting; others are ignored, as in Triton. */
    private static String checked(String mode, String key, String value) {
      switch (mode.isEmpty() ? key : mode + "," + key) {
        case "mode" -> {
          return mode(value);
        }
        case "level" -> Level.parse(value);
        case "rate",
            "triton,log-frequency",
            "triton,max-elements",
            "triton,max-files",
            "opentelemetry,bsp_max_queue_size",
            "opentelemetry,bsp_schedule_delay",
            "opentelemetry,bsp_max_export_batch_size" ->
            OptionConverters.count(value);
        case "triton,max-bytes" -> new OptionConverters.ByteSize().convert(value);
        case "count" -> new Remaining().convert(value);
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
}
