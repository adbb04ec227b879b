package io.nereid.server.options;

import io.nereid.engine.model.config.ConfigSettings;
import io.nereid.engine.model.config.validation.ConfigLimits;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import picocli.CommandLine;

/** The options of how configurations are read and completed. */
public final class ConfigOptions extends OptionGroup {
  private final OptionValue<Boolean> autoCompleteDisabled =
      flag("--disable-auto-complete-config")
          .help(
              "Requires complete configurations: backends complete none, and none may be missing.");

  private final OptionValue<Boolean> strictConfig =
      option("--strict-model-config=<boolean>", OptionConverters::toggle)
          .help("Deprecated: true stands for --disable-auto-complete-config.");

  private final OptionValue<String> configName =
      option("--model-config-name=<name>", OptionConverters::configName)
          .help("Uses configs/<name>.pbtxt of the models that have it, instead of config.pbtxt.");

  private final OptionValue<Integer> maxInstances =
      positive("--max-instances=<count>", ConfigLimits.DEFAULT.maxInstances())
          .help("Most instances of a model, on all of its devices; each has a thread.");

  /** Warns of the deprecated option. */
  void check(CommandLine line) {
    strictConfig
        .given()
        .ifPresent(strict -> {
          line.getErr()
              .println(
                  "Warning: '--strict-model-config' has been deprecated! Please use"
                      + " '--disable-auto-complete-config' instead.");
          if (autoCompleteDisabled.get() && !strict) {
            line.getErr()
                .println(
                    "Warning: Overriding deprecated '--strict-model-config' from False to True in favor"
                        + " of '--disable-auto-complete-config'!");
          }
        });
  }

  /** How configurations are read, and what they may make the server allocate. */
  public ConfigSettings settings() {
    return new ConfigSettings(
        !autoCompleteDisabled.get() && !strictConfig.given().orElse(false),
        configName.given(),
        new ConfigLimits(maxInstances.get()));
  }
}
