package io.nereid.server.options;

import io.nereid.engine.model.Readiness;
import io.nereid.engine.model.control.ControlMode;
import io.nereid.engine.model.control.ControlSettings;
import io.nereid.engine.model.control.operation.LoadLimits;
import io.nereid.server.http.console.ModelSources;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;

/** The options of model repositories and of model control. */
public final class ModelOptions extends OptionGroup {
  private final OptionValue<List<String>> repositories =
      list("--model-repository|--model-store=<location>", text -> text)
          .help("Directory of model directories, or s3://bucket/path. Repeatable.");

  private final BareModelOption bareModel = include(new BareModelOption());

  private final OptionValue<String> textModel =
      option("--text-model=<folder>", String.class, null)
          .help(
              "Folder of a text model as Hugging Face lays it out, in place of a model repository."
                  + " It is served by the folder's name, or by --model-name, as version 1.");

  private final OptionValue<ControlMode> mode =
      option(
              "--model-control-mode=<mode>",
              OptionConverters.oneOf(ControlMode.values()),
              ControlMode.NONE)
          .help(
              "none: all models are loaded at the start. poll: also, changes of the repositories"
                  + " are followed. explicit: clients load and unload models. Default: none.");

  private final OptionValue<List<String>> startupModels =
      list("--load-model=<name>", text -> text)
          .help(
              "Model to load at the start if the control mode is explicit; * alone for all."
                  + " Repeatable.");

  private final OptionValue<Duration> poll =
      timeOrZero("--repository-poll-secs=<seconds>", Duration.ofSeconds(15))
          .help(
              "Interval between looks at the repositories if the control mode is poll; 0 for"
                  + " none.");

  private final OptionValue<Readiness> readiness =
      option("--strict-readiness=<which>", OptionConverters::readiness, Readiness.SERVING)
          .help(
              "true: the server is ready once all models of the start are, and while what serves is"
                  + " healthy. every-model: it is also not ready while a load runs or has failed,"
                  + " as in Triton. false: it is ready whatever its models do. Default: true.");

  private final OptionValue<Boolean> exitOnError =
      toggle("--exit-on-error", true).help("Whether to exit if a model fails to load at start.");

  private final OptionValue<Integer> loadThreads =
      positive("--model-load-thread-count=<count>", 4)
          .help("Number of models that load concurrently.");

  private final OptionValue<Integer> loadRetries =
      count("--model-load-retry-count=<count>", 0).help("How often a failed load is repeated.");

  private final OptionValue<Duration> loadTimeout =
      timeOrZero("--model-load-timeout-secs=<seconds>", LoadLimits.DEFAULT.any())
          .help(
              "The longest that the load of a model version may take, with its retries, and the"
                  + " longest that its backend may take to close it; 0 for no limit. A thread that"
                  + " waits for the backend longer is left behind.");

  private final OptionValue<Duration> clientLoadTimeout =
      timeOrZero("--client-load-timeout-secs=<seconds>", LoadLimits.DEFAULT.client())
          .help(
              "The longest that a load may take that a client asks for, if that is shorter; 0 for"
                  + " no other limit.");

  private final ConfigOptions configs = include(new ConfigOptions());

  private final OptionValue<Boolean> namespacing =
      toggle("--model-namespacing", false)
          .help("Whether models of different repositories may have the same name.");

  /** Rejects options that contradict each other, and warns of the deprecated one. */
  void check(CommandLine line) {
    if (!startupModels.get().isEmpty() && mode.get() != ControlMode.EXPLICIT) {
      throw new CommandLine.ParameterException(
          line,
          "Error: Use of '--load-model' requires setting '--model-control-mode=explicit' as well.");
    }
    if (!repositories.get().isEmpty() && isTextModel()) {
      throw new CommandLine.ParameterException(
          line, "Error: --text-model is in place of --model-repository, both are given");
    }
    bareModel.check(line, repositories().size(), "--model-repository");
    configs.check(line);
  }

  /** Rejects a command line without models to serve. */
  void requireRepository(CommandLine line) {
    if (repositories().isEmpty()) {
      throw new CommandLine.ParameterException(
          line, "Missing required option: '--model-repository=<location>'");
    }
  }

  /** The locations, each once: a directory of model directories, or one in a store. */
  public List<String> repositories() {
    return textModel
        .given()
        .map(List::of)
        .orElseGet(() -> repositories.get().stream().distinct().toList());
  }

  /** The name of the model whose files the repository has, without a layout. */
  public Optional<String> bareModel() {
    return bareModel.name().or(() -> textModel.given().map(ModelOptions::lastName));
  }

  /** The files of models in directories; those of object stores are not among them. */
  public ModelSources sources() {
    return new ModelSources(
        repositories().stream()
            .filter(location -> !location.contains("://"))
            .map(Path::of)
            .toList(),
        configs.settings());
  }

  /** Whether the only model is the folder of a text model. */
  public boolean isTextModel() {
    return textModel.given().isPresent();
  }

  private static String lastName(String folder) {
    Path name = Path.of(folder).toAbsolutePath().normalize().getFileName();
    return name == null ? "text" : name.toString();
  }

  public ControlSettings control() {
    return new ControlSettings(
        mode.get(),
        startupModels.get().stream().distinct().toList(),
        poll.get(),
        readiness.get(),
        namespacing.get(),
        new ControlSettings.Loads(
            loadThreads.get(),
            new LoadLimits(loadTimeout.get(), clientLoadTimeout.get()),
            loadRetries.get()),
        configs.settings());
  }

  /** Whether to exit if a model fails to load at the start. */
  public boolean exitsOnError() {
    return exitOnError.get();
  }
}
