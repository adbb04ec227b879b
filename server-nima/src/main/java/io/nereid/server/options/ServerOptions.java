package io.nereid.server.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.engine.plugin.PluginSettings;
import io.nereid.engine.scheduling.journal.JournalFile;
import io.nereid.engine.telemetry.ClientSettings;
import io.nereid.server.frontend.Listener;
import io.nereid.server.options.triton.TritonOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options of {@code serve}, {@code --name=value} or {@code --name value}, with Triton's names
 * and defaults. The name of a mixin is its heading in the help.
 */
public final class ServerOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--id",
      paramLabel = "<name>",
      description = "The server's name in its metadata. Default: ${DEFAULT-VALUE}.")
  private String id = "nereid";

  /** A property of the JVM may set the default: an image must stop before it is killed. */
  @Option(
      names = "--exit-timeout-secs",
      paramLabel = "<seconds>",
      converter = OptionConverters.Count.class,
      description =
          "Time for the whole stop, of which requests in flight have all but the last second."
              + " Default: ${DEFAULT-VALUE}.")
  private int exitTimeoutSeconds = Integer.getInteger("nereid.exit-timeout-secs", 30);

  @Option(
      names = "--server-warmup",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Count.class,
      description =
          "How long the server sends requests to a model of its own before it is ready, so that the"
              + " JVM has compiled their way when clients come. 0 for none. Default:"
              + " ${DEFAULT-VALUE}.")
  private int serverWarmupMillis = 200;

  @Option(
      names = "--server-warmup-after-ready",
      paramLabel = "<milliseconds>",
      converter = OptionConverters.Count.class,
      description =
          "How long the server sends itself such requests once it is ready, while no client sends"
              + " inference requests. 0 for none. Default: ${DEFAULT-VALUE}.")
  private int serverWarmupAfterReadyMillis = 3000;

  @Option(
      names = "--scheduler-journal",
      paramLabel = "<file>",
      description =
          "File for every decision of the schedulers, for `nereid replay`. An existing file is kept"
              + " as <file>.previous.")
  private @Nullable Path schedulerJournal;

  @Option(
      names = "--scheduler-journal-max-bytes",
      paramLabel = "<bytes>",
      converter = OptionConverters.ByteSize.class,
      description = "Where the journal ends. Default: ${DEFAULT-VALUE}.")
  private long schedulerJournalMaxBytes = JournalFile.DEFAULT_MAX_BYTES;

  @Option(
      names = "--client-settings",
      paramLabel = "<which>",
      converter = OptionConverters.Clients.class,
      description =
          "What clients may change of the settings of log and traces: none; safe: nothing that"
              + " hides errors or warnings, shows details of libraries, or has tensors traced; all."
              + " Default: ${DEFAULT-VALUE}.")
  private ClientSettings clientSettings = ClientSettings.SAFE;

  @Mixin(name = "Log")
  private LogOptions log = new LogOptions();

  @Mixin(name = "Traces")
  private TraceOptions traces = new TraceOptions();

  /** Log lines on options that have no effect; set by the check. */
  private List<String> withoutEffect = List.of();

  @Mixin(name = "Models")
  private ModelOptions models = new ModelOptions();

  @Mixin(name = "Object stores")
  private ObjectStoreOptions objectStores = new ObjectStoreOptions();

  @Mixin(name = "Backends")
  private BackendOptions backends = new BackendOptions();

  @Mixin(name = "Memory")
  private MemoryOptions memory = new MemoryOptions();

  @Mixin(name = "Shared memory")
  private SharedMemoryOptions sharedMemory = new SharedMemoryOptions();

  @Mixin(name = "HTTP")
  private HttpOptions http = new HttpOptions();

  @Mixin(name = "Limits of HTTP")
  private HttpLimitOptions httpLimits = new HttpLimitOptions();

  @Mixin(name = "gRPC")
  private GrpcOptions grpc = new GrpcOptions();

  @Mixin(name = "Metrics")
  private MetricsOptions metrics = new MetricsOptions();

  @Mixin(name = "Other front ends")
  private FrontEndOptions frontEnds = new FrontEndOptions();

  @Mixin(name = "TLS")
  private TlsOptions tls = new TlsOptions();

  @Mixin(name = "Restricted APIs")
  private RestrictionOptions restrictions = new RestrictionOptions();

  @Mixin(name = "Response cache")
  private CacheOptions cache = new CacheOptions();

  @Mixin(name = "Instances")
  private InstanceOptions instances = new InstanceOptions();

  @Mixin(name = "Overload")
  private OverloadOptions overload = new OverloadOptions();

  @Mixin(name = "Rate limiter")
  private RateLimitOptions rateLimit = new RateLimitOptions();

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

  /** A line for each option that was given and has no effect, for the log. */
  public List<String> withoutEffect() {
    return withoutEffect;
  }

  public String id() {
    return id;
  }

  public Duration exitTimeout() {
    return Duration.ofSeconds(exitTimeoutSeconds);
  }

  /** How long the server sends requests to itself before it is ready; zero for none. */
  public Duration serverWarmup() {
    return Duration.ofMillis(serverWarmupMillis);
  }

  /** How long it goes on once it is ready, while clients send none; zero for not at all. */
  public Duration serverWarmupAfterReady() {
    return Duration.ofMillis(serverWarmupAfterReadyMillis);
  }

  public Optional<JournalFile> schedulerJournal() {
    return Optional.ofNullable(schedulerJournal)
        .map(path -> new JournalFile(path, schedulerJournalMaxBytes));
  }

  /** What clients may change of the settings of log and traces. */
  public ClientSettings clientSettings() {
    return clientSettings;
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
