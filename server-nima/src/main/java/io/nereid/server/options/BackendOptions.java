package io.nereid.server.options;

import io.nereid.engine.plugin.PluginSettings;
import io.nereid.server.options.declaration.NamedSetting;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.TypeConversionException;

/** The options of backends: where they are, and their settings. */
public final class BackendOptions extends OptionGroup {
  private final OptionValue<Path> directory =
      folder("--backend-directory", "backends")
          .help(
              "Directory with one folder of jars per backend. Default: backends/ of the"
                  + " distribution.");

  private final OptionValue<List<NamedSetting>> settings =
      list("--backend-config=<backend>,<key>=<value>", BackendOptions::setting)
          .help("Setting of one backend or, without a name, of all backends. Repeatable.");

  /** Those of all backends have the name {@code ""}. */
  public PluginSettings plugins() {
    return new PluginSettings(directory.get(), NamedSetting.byName(settings.get()));
  }

  /** {@code <backend>,<key>=<value>} or {@code <key>=<value>}. */
  private static NamedSetting setting(String text) {
    int equals = text.indexOf('=');
    int comma = text.lastIndexOf(',', equals);
    if (equals <= comma + 1 || text.lastIndexOf(':', equals) > comma) { // for a comma
      throw new TypeConversionException("expected <backend>,<key>=<value>, got '" + text + "'");
    }
    if (comma == 0) {
      throw new TypeConversionException(
          "No backend specified: expected <backend>,<key>=<value>, got '" + text + "'");
    }
    return NamedSetting.of(text, comma, equals);
  }
}
