package io.nereid.server.options;

import io.nereid.engine.plugin.PluginSettings;
import io.nereid.server.options.declaration.NamedSetting;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/** The options of the response cache. */
public final class CacheOptions extends OptionGroup {
  private final OptionValue<List<NamedSetting>> settings =
      list("--cache-config=<cache>,<key>=<value>", CacheOptions::setting)
          .help(
              "Setting of the response cache, such as local,size=1048576 for a local cache of so"
                  + " many bytes. Repeatable, with one name. Default: no cache.");

  private final OptionValue<Long> byteSize =
      option("--response-cache-byte-size=<bytes>", Long.class, null)
          .help("Deprecated: <bytes> stands for --cache-config=local,size=<bytes>.");

  private final OptionValue<Path> directory =
      folder("--cache-directory", "caches")
          .help(
              "Directory with one folder of jars per cache. Default: caches/ of the distribution.");

  /** Rejects options that contradict each other, and warns of the deprecated one. */
  void check(CommandLine line) {
    byteSize
        .given()
        .ifPresent(size -> {
          if (!settings.get().isEmpty()) {
            throw new CommandLine.ParameterException(
                line,
                "Error: Incompatible flags --response-cache-byte-size and --cache-config both provided."
                    + " Please provide one or the other.");
          }
          line.getErr()
              .println(
                  ("Warning: '--response-cache-byte-size' has been deprecated! This will default to the"
                          + " 'local' cache implementation with the provided byte size for its config."
                          + " Please use '--cache-config' instead. The equivalent --cache-config CLI"
                          + " args would be: '--cache-config=local,size=%d'")
                      .formatted(size));
        });
  }

  /** Without settings if there is no cache; those of more than one are an error of the start. */
  public PluginSettings plugins() {
    return new PluginSettings(
        directory.get(),
        byteSize
            .given()
            .map(size -> Map.of("local", Map.of("size", size.toString())))
            .orElseGet(() -> NamedSetting.byName(settings.get())));
  }

  /** {@code <cache>,<key>=<value>}, with Triton's messages. */
  private static NamedSetting setting(String text) {
    if (text.indexOf(',') <= 0) {
      throw new TypeConversionException(
          "No cache specified. --cache-config option format is <cache name>,<setting>=<value>."
              + " Got "
              + text);
    }
    return NamedSetting.parse(text)
        .filter(setting -> !setting.value().isEmpty())
        .orElseThrow(() ->
            new TypeConversionException(
                "--cache-config option format is '<cache name>,<setting>=<value>'. Got " + text));
  }
}
