package io.nereid.server.options;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of the response cache. */
public final class CacheOptions {
  /** One value of {@code --cache-config}. */
  record Setting(String cache, String key, String value) {}

  @Option(
      names = "--cache-config",
      paramLabel = "<cache>,<key>=<value>",
      converter = Converter.class,
      description =
          "Setting of the response cache, such as local,size=1048576 for a local cache of so many"
              + " bytes. Repeatable, with one name. Default: no cache.")
  private List<Setting> settings = new ArrayList<>();

  @Option(
      names = "--response-cache-byte-size",
      paramLabel = "<bytes>",
      description = "Deprecated: <bytes> stands for --cache-config=local,size=<bytes>.")
  private @Nullable Long byteSize;

  @Option(
      names = "--cache-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per cache. Default: caches/ of the distribution.")
  private Path directory = BackendOptions.distribution().resolve("caches");

  /** Rejects options that contradict each other, and warns of the deprecated one. */
  void check(CommandLine line) {
    if (byteSize == null) {
      return;
    }
    if (!settings.isEmpty()) {
      throw new CommandLine.ParameterException(
          line,
          "Error: Incompatible flags --response-cache-byte-size and --cache-config both provided."
              + " Please provide one or the other.");
    }
    line.getErr()
        .println(
            ("Warning: '--response-cache-byte-size' has been deprecated! This will default to the"
                    + " 'local' cache implementation with the provided byte size for its config."
                    + " Please use '--cache-config' instead. The equivalent --cache-config CLI args"
                    + " would be: '--cache-config=local,size=%d'")
                .formatted(byteSize));
  }

  public Path directory() {
    return directory;
  }

  /**
   * The settings by cache and key, the last value of a key; empty if there is no cache, and more
   * than one name is an error of the start.
   */
  public Map<String, Map<String, String>> settings() {
    Map<String, Map<String, String>> byCache = new LinkedHashMap<>();
    if (byteSize != null) {
      byCache.computeIfAbsent("local", _ -> new LinkedHashMap<>()).put("size", byteSize.toString());
    }
    for (Setting setting : settings) {
      byCache
          .computeIfAbsent(setting.cache, _ -> new LinkedHashMap<>())
          .put(setting.key, setting.value);
    }
    return byCache;
  }

  /** {@code <cache>,<key>=<value>}, with Triton's messages. */
  static final class Converter implements ITypeConverter<Setting> {
    @Override
    public Setting convert(String text) {
      int comma = text.indexOf(',');
      if (comma <= 0) {
        throw new TypeConversionException(
            "No cache specified. --cache-config option format is <cache name>,<setting>=<value>."
                + " Got "
                + text);
      }
      int equals = text.indexOf('=', comma + 1);
      if (equals <= comma + 1 || equals == text.length() - 1) {
        throw new TypeConversionException(
            "--cache-config option format is '<cache name>,<setting>=<value>'. Got " + text);
      }
      return new Setting(
          text.substring(0, comma), text.substring(comma + 1, equals), text.substring(equals + 1));
    }
  }
}
