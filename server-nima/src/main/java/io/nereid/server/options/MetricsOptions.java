package io.nereid.server.options;

import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.server.metrics.MetricsPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the metrics: the listener, and what is measured. */
public final class MetricsOptions {
  @Option(
      names = "--allow-metrics",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description = "Whether to serve metrics. Default: ${DEFAULT-VALUE}.")
  private boolean allowed = true;

  @Option(
      names = "--metrics-address",
      paramLabel = "<address>",
      converter = OptionConverters.Address.class,
      description = "Address to listen on for metrics. Default: --http-address.")
  private String address = "";

  @Option(
      names = "--metrics-port",
      paramLabel = "<port>",
      converter = OptionConverters.Port.class,
      description = "Port for metrics; 0 for any free one. Default: ${DEFAULT-VALUE}.")
  private int port = 8002;

  @Option(
      names = "--metrics-max-connections-per-client",
      paramLabel = "<count>",
      converter = OptionConverters.Positive.class,
      description =
          "Open connections of one client address to the metrics. Default: half of those that may"
              + " be open.")
  private @Nullable Integer maxConnectionsPerClient;

  @Option(
      names = "--allow-cpu-metrics",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether metrics include the machine's processors and memory. Default:"
              + " ${DEFAULT-VALUE}.")
  private boolean allowCpu = true;

  @Option(
      names = "--allow-gpu-metrics",
      paramLabel = "<boolean>",
      arity = "1",
      converter = OptionConverters.Switch.class,
      preprocessor = OptionConverters.Switch.class,
      description =
          "Whether metrics include the GPUs that NVIDIA's driver reports. Default:"
              + " ${DEFAULT-VALUE}.")
  private boolean allowGpu = true;

  @Option(
      names = "--metrics-interval-ms",
      paramLabel = "<milliseconds>",
      description =
          "Interval between readings of processors, memory and GPUs. Default: ${DEFAULT-VALUE}.")
  private long intervalMillis = 2000;

  @Option(
      names = "--metrics-config",
      paramLabel = "<setting>=<value>",
      converter = MetricsSetting.Converter.class,
      description = {
        "Metrics of latencies. counter_latencies=<boolean>: sums, on by default."
            + " summary_latencies=<boolean>: quantiles of the last minute, which"
            + " summary_quantiles=<quantile>:<error>,... selects. histogram_latencies=<boolean>:"
            + " times to first responses. phase_histograms=<boolean>: the distribution of each"
            + " phase, on by default. Repeatable."
      })
  private List<MetricsSetting> settings = new ArrayList<>();

  public boolean isAllowed() {
    return allowed;
  }

  /** Empty for that of HTTP. */
  Optional<String> address() {
    return address.isEmpty() ? Optional.empty() : Optional.of(address);
  }

  /** 0 for any free port. */
  int port() {
    return port;
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return OptionConverters.optional(maxConnectionsPerClient);
  }

  /** Whether the GPUs are read. */
  public boolean allowsGpu() {
    return allowGpu;
  }

  public MetricsPage.Content content() {
    return new MetricsPage.Content(
        isOn(MetricsSetting.Name.COUNTER_LATENCIES, true),
        isOn(MetricsSetting.Name.PHASE_HISTOGRAMS, true),
        MetricsSetting.quantiles(settings),
        allowCpu,
        Duration.ofMillis(intervalMillis));
  }

  /** The latencies to record: none unless metrics are served. */
  public LatencyMetrics latencies() {
    return new LatencyMetrics(
        allowed && isOn(MetricsSetting.Name.SUMMARY_LATENCIES, false),
        allowed && isOn(MetricsSetting.Name.HISTOGRAM_LATENCIES, false));
  }

  private boolean isOn(MetricsSetting.Name name, boolean defaultValue) {
    return MetricsSetting.isOn(settings, name, defaultValue);
  }
}
