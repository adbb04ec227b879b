package io.nereid.server;

import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.model.LatencyMetrics;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options of {@code serve}, {@code --name=value} or {@code --name value}, with Triton's names
 * and defaults.
 */
final class ServerOptions {
  /** The values of {@code --rate-limit}. */
  enum RateLimitMode {
    OFF,
    EXECUTION_COUNT
  }

  @Option(
      names = {"--model-repository", "--model-store"},
      required = true,
      paramLabel = "<directory>",
      description = "Directory of model directories. Repeatable.")
  List<Path> modelRepositories = new ArrayList<>();

  @Option(
      names = "--backend-directory",
      paramLabel = "<directory>",
      description =
          "Directory with one folder of jars per backend. Default: backends/ of the distribution.")
  Path backendDirectory = distribution(codeSource()).resolve("backends");

  @Option(
      names = "--backend-config",
      paramLabel = "<backend>,<key>=<value>",
      converter = BackendOption.Converter.class,
      description = "Setting of one backend or, without a name, of all backends. Repeatable.")
  List<BackendOption> backendOptions = new ArrayList<>();

  @Option(
      names = "--id",
      paramLabel = "<name>",
      description = "The server's name in its metadata. Default: ${DEFAULT-VALUE}.")
  String id = "nereid";

  @Option(
      names = "--allow-http",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve HTTP. Default: ${DEFAULT-VALUE}.")
  boolean allowHttp = true;

  @Option(
      names = "--http-address",
      paramLabel = "<address>",
      description = "Address to listen on for HTTP. Default: ${DEFAULT-VALUE}.")
  String httpAddress = "0.0.0.0";

  @Option(
      names = "--http-port",
      paramLabel = "<port>",
      description = "Port for HTTP; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  int httpPort = 8000;

  @Option(
      names = "--http-max-input-size",
      paramLabel = "<bytes>",
      converter = OptionConverters.InputSize.class,
      description =
          "Largest JSON part, JSON tensor or raw body of an HTTP request. Default:"
              + " ${DEFAULT-VALUE}.")
  long httpMaxInputSize = JsonRequestReader.DEFAULT_MAX_INPUT_SIZE;

  @Option(
      names = "--allow-grpc",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve gRPC. Default: ${DEFAULT-VALUE}.")
  boolean allowGrpc = true;

  @Option(
      names = "--grpc-address",
      paramLabel = "<address>",
      description = "Address to listen on for gRPC. Default: ${DEFAULT-VALUE}.")
  String grpcAddress = "0.0.0.0";

  @Option(
      names = "--grpc-port",
      paramLabel = "<port>",
      description = "Port for gRPC; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  int grpcPort = 8001;

  @Option(
      names = "--allow-metrics",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve metrics. Default: ${DEFAULT-VALUE}.")
  boolean allowMetrics = true;

  @Option(
      names = "--metrics-address",
      paramLabel = "<address>",
      description = "Address to listen on for metrics. Default: --http-address.")
  String metricsAddress = "";

  @Option(
      names = "--metrics-port",
      paramLabel = "<port>",
      description = "Port for metrics; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  int metricsPort = 8002;

  @Option(
      names = "--allow-cpu-metrics",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether metrics include the machine's processors and memory. Default:"
              + " ${DEFAULT-VALUE}.")
  boolean allowCpuMetrics = true;

  @Option(
      names = "--metrics-interval-ms",
      paramLabel = "<milliseconds>",
      description =
          "Interval between readings of processors and memory. Default: ${DEFAULT-VALUE}.")
  long metricsIntervalMillis = 2000;

  @Option(
      names = "--metrics-config",
      paramLabel = "<setting>=<value>",
      converter = MetricsSetting.Converter.class,
      description = {
        "Metrics of latencies. counter_latencies=<boolean>: sums, on by default."
            + " summary_latencies=<boolean>: quantiles of the last minute, which"
            + " summary_quantiles=<quantile>:<error>,... selects. histogram_latencies=<boolean>:"
            + " times to first responses. Repeatable."
      })
  List<MetricsSetting> metricsSettings = new ArrayList<>();

  @Option(
      names = "--exit-timeout-secs",
      paramLabel = "<seconds>",
      description =
          "Time for requests in flight to finish once the server stops. Default:"
              + " ${DEFAULT-VALUE}.")
  int exitTimeoutSeconds = 30;

  @Option(
      names = "--exit-on-error",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to exit if a model fails to load at start. Default: ${DEFAULT-VALUE}.")
  boolean exitOnError = true;

  @Option(
      names = "--model-load-thread-count",
      paramLabel = "<count>",
      description = "Number of models that load concurrently. Default: ${DEFAULT-VALUE}.")
  int modelLoadThreads = 4;

  @Option(
      names = "--rate-limit",
      paramLabel = "<mode>",
      converter = OptionConverters.Mode.class,
      description =
          "off: an instance executes as soon as it has a batch. execution_count: it also waits for"
              + " the resources of its model's rate_limiter; the instance with the smallest product"
              + " of executions and priority goes first. Default: off.")
  RateLimitMode rateLimit = RateLimitMode.OFF;

  @Option(
      names = "--rate-limit-resource",
      paramLabel = "<name>:<count>[:<device>]",
      converter = OptionConverters.Resource.class,
      description =
          "Amount of a resource on one device or, without a device, on each; a global resource has"
              + " it once. Repeatable; resources that are not listed then have none. Default: the"
              + " largest amount that an instance requires.")
  List<ResourceLimit> rateLimitResources = new ArrayList<>();

  @Option(
      names = "--scheduler-journal",
      paramLabel = "<file>",
      description =
          "File for every decision of the schedulers, for `nereid replay`. An existing file is kept"
              + " as <file>.previous.")
  @Nullable Path schedulerJournal;

  @Option(
      names = "--log-verbose",
      paramLabel = "<level>",
      description =
          "0: information, warnings and errors; 1: details of the server; 2: of libraries too."
              + " Default: 0.",
      converter = OptionConverters.Verbosity.class)
  int logVerbose = 0;

  String metricsAddress() {
    return metricsAddress.isEmpty() ? httpAddress : metricsAddress;
  }

  MetricsPage.Content metricsContent() {
    return new MetricsPage.Content(
        isOn(MetricsSetting.Name.COUNTER_LATENCIES, true),
        MetricsSetting.quantiles(metricsSettings),
        allowCpuMetrics,
        Duration.ofMillis(metricsIntervalMillis));
  }

  /** The latencies to record: none unless metrics are served. */
  LatencyMetrics latencyMetrics() {
    return new LatencyMetrics(
        allowMetrics && isOn(MetricsSetting.Name.SUMMARY_LATENCIES, false),
        allowMetrics && isOn(MetricsSetting.Name.HISTOGRAM_LATENCIES, false));
  }

  private boolean isOn(MetricsSetting.Name name, boolean defaultValue) {
    return MetricsSetting.isOn(metricsSettings, name, defaultValue);
  }

  RateLimiter rateLimiter() {
    return switch (rateLimit) {
      case OFF -> RateLimiter.OFF;
      case EXECUTION_COUNT -> new ExecutionCountLimiter(rateLimitResources);
    };
  }

  /** The jar or the folder that this class was loaded from. */
  private static Path codeSource() {
    try {
      return Path.of(
          ServerOptions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * The folder of the distribution, whose {@code lib/} holds the server's jar; the current
   * directory if the server was not loaded from such a jar.
   */
  static Path distribution(Path codeSource) {
    Path folder = codeSource.getParent();
    return folder != null && folder.endsWith("lib") && !Files.isDirectory(codeSource)
        ? folder.resolveSibling("")
        : Path.of(".");
  }
}
