package io.nereid.server.options;

import io.nereid.engine.model.config.ConfigLimits;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options of how configurations are read and completed. */
public final class ConfigOptions {
  @Option(
      names = "--disable-auto-complete-config",
      description =
          "Requires complete configurations: backends complete none, and none may be missing.")
  private boolean autoCompleteDisabled;

  @Option(
      names = "--strict-model-config",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Deprecated: true stands for --disable-auto-complete-config.")
  private @Nullable Boolean strictConfig;

  @Option(
      names = "--model-config-name",
      paramLabel = "<name>",
      converter = OptionConverters.ConfigName.class,
      description =
          "Uses configs/<name>.pbtxt of the models that have it, instead of config.pbtxt.")
  private @Nullable String configName;

  @Option(
      names = "--max-instances",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Most instances of a model, on all of its devices; each has a thread. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxInstances = ConfigLimits.DEFAULT.maxInstances();

  /** Warns of the deprecated option. */
  void check(CommandLine line) {
    if (strictConfig != null) {
      line.getErr()
          .println(
              "Warning: '--strict-model-config' has been deprecated! Please use"
                  + " '--disable-auto-complete-config' instead.");
      if (autoCompleteDisabled && !strictConfig) {
        line.getErr()
            .println(
                "Warning: Overriding deprecated '--strict-model-config' from False to True in favor"
                    + " of '--disable-auto-complete-config'!");
      }
    }
  }

  /** Whether backends complete configurations. */
  public boolean autoComplete() {
    return !autoCompleteDisabled && !Boolean.TRUE.equals(strictConfig);
  }

  /** What configurations may make the server allocate. */
  public ConfigLimits limits() {
    return new ConfigLimits(maxInstances);
  }

  /** The preferred file of a model's {@code configs}. */
  public Optional<String> configName() {
    return Optional.ofNullable(configName);
  }
}
