package io.nereid.server;

import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.server.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter;
import io.nereid.server.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.model.LatencyMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of {@code serve}: names and defaults are Triton's, values come as {@code
 * --name=value} or {@code --name value}.
 */
final class ServerOptions {
  @Option(
      names = {"--model-repository", "--model-store"},
      required = true,
      paramLabel = "<directory>",
      description = "Directory of model directories. May be given several times.")
  List<Path> modelRepositories = new ArrayList<>();

  @Option(
      names = "--backend-directory",
      paramLabel = "<directory>",
      description =
          "Directory of backends, a folder of jars each. Default: backends/ of the distribution.")
  Path backendDirectory = Path.of(System.getProperty("nereid.home", "."), "backends");

  @Option(
      names = "--backend-config",
      paramLabel = "<backend>,<key>=<value>",
      converter = BackendOption.Converter.class,
      description = "A setting for a backend; without a backend's name, for all of them.")
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
      converter = Switch.class,
      description = "Whether to serve HTTP. Default: ${DEFAULT-VALUE}.")
  boolean allowHttp = true;

  @Option(
      names = "--http-address",
      paramLabel = "<address>",
      description = "Where to listen for HTTP. Default: ${DEFAULT-VALUE}.")
  String httpAddress = "0.0.0.0";

  @Option(
      names = "--http-port",
      paramLabel = "<port>",
      description = "Port for HTTP; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  int httpPort = 8000;

  @Option(
      names = "--http-max-input-size",
      paramLabel = "<bytes>",
      description =
          "Largest JSON part, JSON tensor or raw body of an HTTP request. Default:"
              + " ${DEFAULT-VALUE}.")
  long httpMaxInputSize = JsonRequestReader.DEFAULT_MAX_INPUT_SIZE;

  @Option(
      names = "--allow-grpc",
      paramLabel = "<boolean>",
      arity = "1",
      converter = Switch.class,
      description = "Whether to serve gRPC. Default: ${DEFAULT-VALUE}.")
  boolean allowGrpc = true;

  @Option(
      names = "--grpc-address",
      paramLabel = "<address>",
      description = "Where to listen for gRPC. Default: ${DEFAULT-VALUE}.")
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
      converter = Switch.class,
      description = "Whether to serve metrics. Default: ${DEFAULT-VALUE}.")
  boolean allowMetrics = true;

  @Option(
      names = "--metrics-address",
      paramLabel = "<address>",
      description = "Where to listen for metrics. Default: that of HTTP.")
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
      converter = Switch.class,
      description =
          "Whether the machine's processors and memory are among the metrics. Default:"
              + " ${DEFAULT-VALUE}.")
  boolean allowCpuMetrics = true;

  @Option(
      names = "--metrics-interval-ms",
      paramLabel = "<milliseconds>",
      description =
          "For how long the machine's processors and memory are not looked at again. Default:"
              + " ${DEFAULT-VALUE}.")
  long metricsIntervalMillis = 2000;

  @Option(
      names = "--metrics-config",
      paramLabel = "<setting>=<value>",
      converter = MetricsSetting.Converter.class,
      description = {
        "Which metrics of latencies there are, true or false. counter_latencies: sums; on by"
            + " default. summary_latencies: quantiles of the last minute, those that"
            + " summary_quantiles=<quantile>:<error>,... says. histogram_latencies: times to first"
            + " responses."
      })
  List<MetricsSetting> metricsSettings = new ArrayList<>();

  @Option(
      names = "--exit-timeout-secs",
      paramLabel = "<seconds>",
      description =
          "How long requests may take to finish once the server is told to stop. Default:"
              + " ${DEFAULT-VALUE}.")
  int exitTimeoutSeconds = 30;

  @Option(
      names = "--exit-on-error",
      paramLabel = "<boolean>",
      arity = "1",
      converter = Switch.class,
      description = "Whether to exit if a model does not load at start. Default: ${DEFAULT-VALUE}.")
  boolean exitOnError = true;

  @Option(
      names = "--model-load-thread-count",
      paramLabel = "<count>",
      description = "How many models load at once. Default: ${DEFAULT-VALUE}.")
  int modelLoadThreads = 4;

  @Option(
      names = "--rate-limit",
      paramLabel = "<mode>",
      converter = RateLimitMode.Converter.class,
      description =
          "off runs each instance as soon as it has something to do; execution_count only when the"
              + " resources are free that its model's rate_limiter lists, and of those that wait the"
              + " one with the least executions times priority first. Default: off.")
  RateLimitMode rateLimit = RateLimitMode.OFF;

  @Option(
      names = "--rate-limit-resource",
      paramLabel = "<name>:<count>[:<device>]",
      converter = RateLimitMode.ResourceConverter.class,
      description =
          "How much of a resource there is: on that device, or on each; for a global resource in"
              + " all. May be given several times; once it is, there is nothing of what is not listed."
              + " Default: as much as the instance asks for that asks for most.")
  List<ResourceLimit> rateLimitResources = new ArrayList<>();

  @Option(
      names = "--scheduler-journal",
      paramLabel = "<file>",
      description =
          "File to which every decision of the schedulers is written, for `nereid replay`. One that"
              + " is there is kept as <file>.previous.")
  @Nullable Path schedulerJournal;

  @Option(
      names = "--log-verbose",
      paramLabel = "<level>",
      description = "0 logs what operators need, 1 and more what developers do. Default: 0.",
      converter = Verbosity.class)
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

  /** What nobody can see is not kept. */
  LatencyMetrics latencyMetrics() {
    return new LatencyMetrics(
        allowMetrics && isOn(MetricsSetting.Name.SUMMARY_LATENCIES, false),
        allowMetrics && isOn(MetricsSetting.Name.HISTOGRAM_LATENCIES, false));
  }

  private boolean isOn(MetricsSetting.Name name, boolean otherwise) {
    return MetricsSetting.isOn(metricsSettings, name, otherwise);
  }

  RateLimiter rateLimiter() {
    return switch (rateLimit) {
      case OFF -> RateLimiter.OFF;
      case EXECUTION_COUNT -> new ExecutionCountLimiter(rateLimitResources);
    };
  }

  /** Triton's spellings of yes and no. */
  static final class Switch implements ITypeConverter<Boolean> {
    @Override
    public Boolean convert(String value) {
      return switch (value.toLowerCase(Locale.ROOT)) {
        case "true", "on", "1" -> true;
        case "false", "off", "0" -> false;
        default -> throw new TypeConversionException("expected true or false, got '" + value + "'");
      };
    }
  }

  /** A number, or Triton's old true and false. */
  static final class Verbosity implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
      return switch (value) {
        case "true" -> 1;
        case "false" -> 0;
        default -> Integer.parseInt(value);
      };
    }
  }
}
