package io.nereid.server.options.frontend;

import io.nereid.server.http.console.ConsoleSettings;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The options of the console, which the HTTP front end serves. */
final class ConsoleOptions extends OptionGroup {
  private final OptionValue<Boolean> console =
      toggle("--console", false)
          .help(
              "Whether HTTP serves the console at /console/: pages that show what the server does,"
                  + " and try its models.");

  private final OptionValue<Boolean> control =
      toggle("--console-control", false)
          .help(
              "Whether the console offers to load and unload models, which --model-control-mode and"
                  + " --http-restricted-api permit.");

  private final OptionValue<List<String>> hosts =
      list("--console-host=<name>", text -> text.toLowerCase(Locale.ROOT))
          .help(
              "Name of this server in the addresses of browsers, beside localhost and numbers; the"
                  + " console refuses others. Repeatable. Default: none.");

  /** Empty unless the console is served. */
  Optional<ConsoleSettings> settings() {
    return console.get()
        ? Optional.of(
            new ConsoleSettings(
                control.get(), hosts.get().stream().collect(Collectors.toUnmodifiableSet())))
        : Optional.empty();
  }
}
