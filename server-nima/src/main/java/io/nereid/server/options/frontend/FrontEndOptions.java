package io.nereid.server.options.frontend;

import io.nereid.server.options.declaration.NamedSetting;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.TypeConversionException;

/** The options of front ends that are optional parts. */
public final class FrontEndOptions extends OptionGroup {
  private final OptionValue<List<NamedSetting>> settings =
      list("--front-end-config=<front end>,<key>=<value>", FrontEndOptions::setting)
          .help(
              "Setting of a front end that is an optional part, which is served if its port is set."
                  + " Repeatable.");

  private final OptionValue<Path> directory =
      folder("--front-end-directory", "front-ends")
          .help(
              "Directory with one folder of jars per optional front end. Default: front-ends/ of"
                  + " the distribution.");

  public Path directory() {
    return directory.get();
  }

  /** The settings by front end and key, in the order of the options; the last value of a key. */
  public Map<String, Map<String, String>> settings() {
    return NamedSetting.byName(settings.get());
  }

  /** {@code <front end>,<key>=<value>}. */
  private static NamedSetting setting(String text) {
    return NamedSetting.parse(text)
        .orElseThrow(() ->
            new TypeConversionException(
                "--front-end-config is '<front end>,<key>=<value>', but '%s' was given"
                    .formatted(text)));
  }
}
