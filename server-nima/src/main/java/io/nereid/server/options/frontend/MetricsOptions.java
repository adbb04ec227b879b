package io.nereid.server.options.frontend;

import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.options.declaration.OptionConverters;
import io.nereid.server.options.declaration.OptionGroup;
import io.nereid.server.options.declaration.OptionValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The options of the metrics: the listener, and what is measured. */
public final class MetricsOptions extends OptionGroup {
  private final OptionValue<Boolean> allowed =
      toggle("--allow-metrics", true).help("Whether to serve metrics.");

  private final OptionValue<String> address =
      option("--metrics-address=<address>", OptionConverters::address)
          .help("Address to listen on for metrics. Default: --http-address.");

  private final OptionValue<Integer> port =
      option("--metrics-port=<port>", OptionConverters::port, 8002)
          .help("Port for metrics; 0 for any free one.");

  private final OptionValue<Integer> maxConnectionsPerClient =
      option("--metrics-max-connections-per-client=<count>", OptionConverters::positive)
          .help(
              "Open connections of one client address to the metrics. Default: half of those that"
                  + " may be open.");

  private final OptionValue<Boolean> allowCpu =
      toggle("--allow-cpu-metrics", true)
          .help("Whether metrics include the machine's processors and memory.");

  private final OptionValue<Boolean> allowGpu =
      toggle("--allow-gpu-metrics", true)
          .help("Whether metrics include the GPUs that NVIDIA's driver reports.");

  private final OptionValue<Long> intervalMillis =
      option("--metrics-interval-ms=<milliseconds>", Long.class, 2000L)
          .help("Interval between readings of processors, memory and GPUs.");

  private final OptionValue<List<MetricsSetting>> settings =
      list("--metrics-config=<setting>=<value>", MetricsSetting::parse)
          .help(
              "Metrics of latencies. counter_latencies=<boolean>: sums, on by default."
                  + " summary_latencies=<boolean>: quantiles of the last minute, which"
                  + " summary_quantiles=<quantile>:<error>,... selects."
                  + " histogram_latencies=<boolean>: times to first responses."
                  + " phase_histograms=<boolean>: the distribution of each phase, on by default."
                  + " Repeatable.");

  public boolean isAllowed() {
    return allowed.get();
  }

  /** Empty for that of HTTP. */
  public Optional<String> address() {
    return address.given().filter(given -> !given.isEmpty());
  }

  /** 0 for any free port. */
  public int port() {
    return port.get();
  }

  /** Open connections of one client; empty for half of those that may be open. */
  public OptionalInt maxConnectionsPerClient() {
    return maxConnectionsPerClient.given().stream().mapToInt(Integer::intValue).findFirst();
  }

  /** Whether the GPUs are read. */
  public boolean allowsGpu() {
    return allowGpu.get();
  }

  public MetricsPage.Content content() {
    return new MetricsPage.Content(
        isOn(MetricsSetting.Name.COUNTER_LATENCIES, true),
        isOn(MetricsSetting.Name.PHASE_HISTOGRAMS, true),
        MetricsSetting.quantiles(settings.get()),
        allowCpu.get(),
        Duration.ofMillis(intervalMillis.get()));
  }

  /** The latencies to record: none unless metrics are served. */
  public LatencyMetrics latencies() {
    return new LatencyMetrics(
        allowed.get() && isOn(MetricsSetting.Name.SUMMARY_LATENCIES, false),
        allowed.get() && isOn(MetricsSetting.Name.HISTOGRAM_LATENCIES, false));
  }

  private boolean isOn(MetricsSetting.Name name, boolean defaultValue) {
    return MetricsSetting.isOn(settings.get(), name, defaultValue);
  }
}
