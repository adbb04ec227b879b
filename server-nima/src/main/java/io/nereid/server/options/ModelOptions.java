package io.nereid.server.options;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.LoadLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of model repositories and of model control. */
public final class ModelOptions {
  @Option(
      names = {"--model-repository", "--model-store"},
      required = true,
      paramLabel = "<location>",
      description = "Directory of model directories, or s3://bucket/path. Repeatable.")
  private List<String> repositories = new ArrayList<>();

  @Mixin private BareModelOption bareModel = new BareModelOption();

  @Option(
      names = "--model-control-mode",
      paramLabel = "<mode>",
      converter = OptionConverters.Control.class,
      description =
          "none: all models are loaded at the start. poll: also, changes of the repositories are"
              + " followed. explicit: clients load and unload models. Default: none.")
  private ControlMode mode = ControlMode.NONE;

  @Option(
      names = "--load-model",
      paramLabel = "<name>",
      description =
          "Model to load at the start if the control mode is explicit; * alone for all."
              + " Repeatable.")
  private Set<String> startupModels = new LinkedHashSet<>();

  @Option(
      names = "--repository-poll-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Count.class,
      description =
          "Interval between looks at the repositories if the control mode is poll; 0 for none."
              + " Default: ${DEFAULT-VALUE}.")
  private int pollSeconds = 15;

  @Option(
      names = "--strict-readiness",
      paramLabel = "<which>",
      converter = OptionConverters.ReadinessRule.class,
      description =
          "true: the server is ready once all models of the start are, and while what serves is"
              + " healthy. every-model: it is also not ready while a load runs or has failed, as in"
              + " Triton. false: it is ready whatever its models do. Default: true.")
  private Readiness readiness = Readiness.SERVING;

  @Option(
      names = "--exit-on-error",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to exit if a model fails to load at start. Default: ${DEFAULT-VALUE}.")
  private boolean exitOnError = true;

  @Option(
      names = "--model-load-thread-count",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description = "Number of models that load concurrently. Default: ${DEFAULT-VALUE}.")
  private int loadThreads = 4;

  @Option(
      names = "--model-load-retry-count",
      paramLabel = "<count>",
      converter = OptionConverters.Count.class,
      description = "How often a failed load is repeated. Default: ${DEFAULT-VALUE}.")
  private int loadRetries = 0;

  @Option(
      names = "--model-load-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Count.class,
      description =
          "The longest that the load of a model version may take, with its retries, and the longest"
              + " that its backend may take to close it; 0 for no limit. A thread that waits for"
              + " the backend longer is left behind. Default: ${DEFAULT-VALUE}.")
  private int loadTimeoutSeconds = (int) LoadLimits.DEFAULT.any().toSeconds();

  @Option(
      names = "--client-load-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Count.class,
      description =
          "The longest that a load may take that a client asks for, if that is shorter; 0 for no"
              + " other limit. Default: ${DEFAULT-VALUE}.")
  private int clientLoadTimeoutSeconds = (int) LoadLimits.DEFAULT.client().toSeconds();

  @Mixin private ConfigOptions configs = new ConfigOptions();

  @Option(
      names = "--model-namespacing",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether models of different repositories may have the same name. Default:"
              + " ${DEFAULT-VALUE}.")
  private boolean namespacing = false;

  /** Rejects options that contradict each other, and warns of the deprecated one. */
  void check(CommandLine line) {
    if (!startupModels.isEmpty() && mode != ControlMode.EXPLICIT) {
      throw new CommandLine.ParameterException(
          line,
          "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well.");
    }
    bareModel.check(line, repositories().size(), "--model-repository");
    configs.check(line);
  }

  /** At least one location, each once: a directory of model directories, or one in a store. */
  public List<String> repositories() {
    return repositories.stream().distinct().toList();
  }

  /** The name of the model whose files the repository has, without a layout. */
  public Optional<String> bareModel() {
    return bareModel.name();
  }

  public ControlSettings control() {
    return new ControlSettings(
        mode,
        List.copyOf(startupModels),
        Duration.ofSeconds(pollSeconds),
        readiness,
        loadThreads,
        loadRetries,
        new LoadLimits(
            Duration.ofSeconds(loadTimeoutSeconds), Duration.ofSeconds(clientLoadTimeoutSeconds)),
        configs.autoComplete(),
        configs.configName(),
        namespacing,
        configs.limits());
  }

  /** Whether to exit if a model fails to load at the start. */
  public boolean exitsOnError() {
    return exitOnError;
  }
}
