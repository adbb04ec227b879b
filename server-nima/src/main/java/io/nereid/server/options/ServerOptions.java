package io.nereid.server.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.engine.model.config.text.Names;
import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.server.frontend.Listener;
import io.nereid.server.frontend.ShownOption;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import io.nereid.server.options.frontend.FrontEndOptions;
import io.nereid.server.options.frontend.GrpcOptions;
import io.nereid.server.options.frontend.HttpLimitOptions;
import io.nereid.server.options.frontend.HttpOptions;
import io.nereid.server.options.frontend.MetricsOptions;
import io.nereid.server.options.frontend.RestrictionOptions;
import io.nereid.server.options.frontend.TlsOptions;
import io.nereid.server.options.triton.TritonOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The options of {@code serve}, {@code --name=value} or {@code --name value}, with Triton's names
 * and defaults.
 */
public final class ServerOptions extends OptionGroup {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  private final Map<String, OptionGroup> topics = new LinkedHashMap<>();

  private final OptionValue<String> id =
      option("--id=<name>", String.class, "nereid").help("The server's name in its metadata.");

  /** A property of the JVM may set the default: an image must stop before it is killed. */
  private final OptionValue<Duration> exitTimeout =
      timeOrZero(
              "--exit-timeout-secs=<seconds>",
              Duration.ofSeconds(Integer.getInteger("nereid.exit-timeout-secs", 30)))
          .help(
              "Time for the whole stop, of which requests in flight have all but the last second.");

  private final OptionValue<Duration> serverWarmup =
      timeOrZero("--server-warmup=<milliseconds>", Duration.ofMillis(1))
          .help(
              "How long the server sends requests to itself before it is ready, some over each"
                  + " protocol at least, so that the first clients wait less. 0 for none, also once"
                  + " it is ready.");

  private final OptionValue<Duration> serverWarmupAfterReady =
      timeOrZero("--server-warmup-after-ready=<milliseconds>", Duration.ZERO)
          .help(
              "How long the server sends itself such requests once it is ready, while no client"
                  + " sends inference requests. 0 for none.");

  private final OptionValue<Path> schedulerJournal =
      option("--scheduler-journal=<file>", Path.class, null)
          .help(
              "File for every decision of the schedulers, for `nereid replay`. An existing file is"
                  + " kept as <file>.previous.");

  private final OptionValue<Long> schedulerJournalMaxBytes =
      option(
              "--scheduler-journal-max-bytes=<bytes>",
              OptionConverters::byteSize,
              JournalFile.DEFAULT_MAX_BYTES)
          .help("Where the journal ends.");

  private final OptionValue<ClientSettings> clientSettings =
      option(
              "--client-settings=<which>",
              OptionConverters.oneOf(ClientSettings.values()),
              ClientSettings.SAFE)
          .help(
              "What clients may change of the settings of log and traces: none; safe: nothing that"
                  + " hides errors or warnings, shows details of libraries, or has tensors traced;"
                  + " all.");

  /** Log lines on options that have no effect; set by the check. */
  private List<String> withoutEffect = List.of();

  private final LogOptions log = topic("Log", new LogOptions());
  private final TraceOptions traces = topic("Traces", new TraceOptions());
  private final ModelOptions models = topic("Models", new ModelOptions());
  private final ObjectStoreOptions objectStores = topic("Object stores", new ObjectStoreOptions());
  private final BackendOptions backends = topic("Backends", new BackendOptions());
  private final MemoryOptions memory = topic("Memory", new MemoryOptions());
  private final SharedMemoryOptions sharedMemory =
      topic("Shared memory", new SharedMemoryOptions());
  private final HttpOptions http = topic("HTTP", new HttpOptions());
  private final HttpLimitOptions httpLimits = topic("Limits of HTTP", new HttpLimitOptions());
  private final GrpcOptions grpc = topic("gRPC", new GrpcOptions());
  private final MetricsOptions metrics = topic("Metrics", new MetricsOptions());
  private final FrontEndOptions frontEnds = topic("Other front ends", new FrontEndOptions());
  private final TlsOptions tls = topic("TLS", new TlsOptions());
  private final RestrictionOptions restrictions =
      topic("Restricted APIs", new RestrictionOptions());
  private final CacheOptions cache = topic("Response cache", new CacheOptions());
  private final InstanceOptions instances = topic("Instances", new InstanceOptions());
  private final OverloadOptions overload = topic("Overload", new OverloadOptions());
  private final RateLimitOptions rateLimit = topic("Rate limiter", new RateLimitOptions());

  /** Has a group listed in the help, below a heading. */
  private <G extends OptionGroup> G topic(String heading, G group) {
    topics.put(heading, group);
    return group;
  }

  @Override
  public void declare(CommandSpec options) {
    super.declare(options);
    topics.forEach((heading, group) -> {
      CommandSpec topic = CommandSpec.create();
      group.declare(topic);
      options.addMixin(heading, topic);
    });
  }

  /** The command whose arguments are read. */
  @Command(name = "serve")
  private static final class Serve {
    @Mixin private ServerOptions options = new ServerOptions();
  }

  /**
   * The options that these arguments of {@code serve} state; the last value of an option takes
   * precedence.
   *
   * @throws IllegalArgumentException if they are not valid
   */
  public static ServerOptions of(String... arguments) {
    try {
      return read(new PrintWriter(System.err, true, UTF_8), arguments);
    } catch (CommandLine.UnmatchedArgumentException unknown) {
      String name = unknown.getUnmatched().getFirst().split("=", 2)[0]; // the value may be a secret
      Set<String> names = unknown.getCommandLine().getCommandSpec().optionsMap().keySet();
      throw new IllegalArgumentException(
          "unknown option '%s'%s".formatted(name, Names.question(name, names)));
    } catch (CommandLine.ParameterException invalid) {
      throw new IllegalArgumentException(invalid.getMessage()); // which says everything
    }
  }

  /**
   * As {@link #of}.
   *
   * @param warnings gets a line for each option that is accepted without effect
   * @throws CommandLine.ParameterException if the arguments are not valid
   */
  static ServerOptions read(PrintWriter warnings, String... arguments) {
    var serve = new Serve();
    var line = new CommandLine(serve).setOverwrittenOptionsAllowed(true).setErr(warnings);
    TritonOptions.declare(line.getCommandSpec());
    line.parseArgs(arguments);
    serve.options.check();
    serve.options.requireRepository();
    return serve.options;
  }

  /**
   * Checks what no option can check alone. Called once, before the options are used.
   *
   * @throws CommandLine.ParameterException if options contradict each other
   */
  public void check() {
    CommandLine line = Objects.requireNonNull(command, "the options are no mixin").commandLine();
    withoutEffect = TritonOptions.withoutEffect(line);
    models.check(line);
    tls.check(line);
    traces.check(line);
    log.check(line);
    restrictions.check(line);
    cache.check(line);
  }

  /**
   * Checks that there are models to serve.
   *
   * @throws CommandLine.ParameterException if no option names a repository
   */
  public void requireRepository() {
    models.requireRepository(
        Objects.requireNonNull(command, "the options are no mixin").commandLine());
  }

  /** All options with their values, without secrets, in the order of the help. */
  public List<ShownOption> shown() {
    List<ShownOption> all = new ArrayList<>(shown("General"));
    topics.forEach((heading, group) -> all.addAll(group.shown(heading)));
    return all;
  }

  /** A line for each option that was given and has no effect, for the log. */
  public List<String> withoutEffect() {
    return withoutEffect;
  }

  public String id() {
    return id.get();
  }

  public Duration exitTimeout() {
    return exitTimeout.get();
  }

  /** How long the server sends requests to itself before it is ready; zero for none. */
  public Duration serverWarmup() {
    return serverWarmup.get();
  }

  /** How long it goes on once it is ready, while clients send none; zero for not at all. */
  public Duration serverWarmupAfterReady() {
    return serverWarmupAfterReady.get();
  }

  public Optional<JournalFile> schedulerJournal() {
    return schedulerJournal
        .given()
        .map(path -> new JournalFile(path, schedulerJournalMaxBytes.get()));
  }

  /** What clients may change of the settings of log and traces. */
  public ClientSettings clientSettings() {
    return clientSettings.get();
  }

  public LogOptions log() {
    return log;
  }

  public TraceOptions traces() {
    return traces;
  }

  public ModelOptions models() {
    return models;
  }

  public ObjectStoreOptions objectStores() {
    return objectStores;
  }

  public BackendOptions backends() {
    return backends;
  }

  public MemoryOptions memory() {
    return memory;
  }

  public SharedMemoryOptions sharedMemory() {
    return sharedMemory;
  }

  public HttpOptions http() {
    return http;
  }

  public HttpLimitOptions httpLimits() {
    return httpLimits;
  }

  public GrpcOptions grpc() {
    return grpc;
  }

  public MetricsOptions metrics() {
    return metrics;
  }

  public TlsOptions tls() {
    return tls;
  }

  public RestrictionOptions restrictions() {
    return restrictions;
  }

  /** The front ends that are optional parts: where their jars are, and their settings. */
  public PluginSettings frontEnds() {
    return new PluginSettings(frontEnds.directory(), frontEnds.settings());
  }

  public CacheOptions cache() {
    return cache;
  }

  public InstanceOptions instances() {
    return instances;
  }

  public OverloadOptions overload() {
    return overload;
  }

  public RateLimitOptions rateLimit() {
    return rateLimit;
  }

  /** Where HTTP, gRPC and metrics are served, as far as they are allowed. */
  public List<Listener> listeners() {
    List<Listener> listeners = new ArrayList<>();
    if (http.isAllowed()) {
      listeners.add(http.listener());
    }
    if (grpc.isAllowed()) {
      listeners.add(grpc.listener());
    }
    if (metrics.isAllowed()) {
      listeners.add(metricsListener());
    }
    return listeners;
  }

  /** Where metrics are served: at the address of HTTP, unless an option states another. */
  public Listener metricsListener() {
    return new Listener(
        "metrics", metrics.address().orElse(http.listener().address()), metrics.port(), false);
  }
}
