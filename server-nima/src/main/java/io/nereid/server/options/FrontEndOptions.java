package io.nereid.server.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of front ends that are optional parts. */
public final class FrontEndOptions {
  /** One value of {@code --front-end-config}. */
  private record Setting(String frontEnd, String key, String value) {}

  @Option(
      names = "--front-end-config",
      paramLabel = "<front end>,<key>=<value>",
      converter = Converter.class,
      description =
          "Setting of a front end that is an optional part, which is served if its port is set."
              + " Repeatable.")
  private List<Setting> settings = new ArrayList<>();

  @Option(
      names = "--front-end-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per optional front end. Default: front-ends/ of the"
              + " distribution.")
  private Path directory = BackendOptions.distribution().resolve("front-ends");

  public Path directory() {
    return directory;
  }

  /** The settings by front end and key, in the order of the options; the last value of a key. */
  public Map<String, Map<String, String>> settings() {
    Map<String, Map<String, String>> byFrontEnd = new LinkedHashMap<>();
    for (Setting setting : settings) {
      byFrontEnd
          .computeIfAbsent(setting.frontEnd, _ -> new LinkedHashMap<>())
          .put(setting.key, setting.value);
    }
    return byFrontEnd;
  }

  /** {@code <front end>,<key>=<value>}. */
  private static final class Converter implements ITypeConverter<Setting> {
    @Override
    public Setting convert(String text) {
      int comma = text.indexOf(',');
      int equals = text.indexOf('=', comma + 1);
      if (comma <= 0 || equals <= comma + 1) {
        throw new TypeConversionException(
            "--front-end-config is '<front end>,<key>=<value>', but '%s' was given"
                .formatted(text));
      }
      return new Setting(
          text.substring(0, comma), text.substring(comma + 1, equals), text.substring(equals + 1));
    }
  }
}
