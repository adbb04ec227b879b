package io.nereid.server.options.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.loading.LatencyMetrics;
import io.nereid.server.metrics.MetricsPage;
import io.nereid.server.options.ParsedOptions;
import io.nereid.server.options.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class MetricsOptionsTest {
  private static ServerOptions parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new));
  }

  @Test
  void theDefaultAddressIsThatOfHttp() {
    assertThat(parse().metricsListener().address()).isEqualTo("0.0.0.0");
    assertThat(parse("--http-address=127.0.0.2").metricsListener().address())
        .isEqualTo("127.0.0.2");
    assertThat(
            parse("--http-address=127.0.0.2", "--metrics-address=127.0.0.3")
                .metricsListener()
                .address())
        .isEqualTo("127.0.0.3");
  }

  @Test
  void metricsAreShownUnlessTheyAreSwitchedOff() {
    assertThat(parse().metrics().content())
        .isEqualTo(
            new MetricsPage.Content(
                true, true, List.of(0.5, 0.9, 0.95, 0.99, 0.999), true, Duration.ofSeconds(2)));
    assertThat(parse().metrics().latencies()).isEqualTo(LatencyMetrics.NONE);
    assertThat(
            parse(
                    "--allow-cpu-metrics=false",
                    "--metrics-config=counter_latencies=true",
                    "--metrics-config",
                    "summary_latencies=false",
                    "--metrics-config=counter_latencies=off",
                    "--metrics-config=phase_histograms=false",
                    "--metrics-config=summary_quantiles=0.5:0.0.5,1:0",
                    "--metrics-interval-ms=100")
                .metrics()
                .content())
        .isEqualTo(
            new MetricsPage.Content(
                false, false, List.of(0.5, 1.0), false, Duration.ofMillis(100)));
  }

  @Test
  void latenciesAreRecordedIfTheirMetricsAreOn() {
    assertThat(parse("--metrics-config=summary_latencies=true").metrics().latencies())
        .isEqualTo(new LatencyMetrics(true, false));
    assertThat(parse("--metrics-config=histogram_latencies=true").metrics().latencies())
        .isEqualTo(new LatencyMetrics(false, true));
    assertThat(
            parse(
                    "--allow-metrics=false",
                    "--metrics-config=summary_latencies=true",
                    "--metrics-config=histogram_latencies=true")
                .metrics()
                .latencies())
        .isEqualTo(LatencyMetrics.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "counter_latencies,expected <setting>=<value>",
        "bogus=true,unknown metrics setting 'bogus'",
        "summary_quantiles=0.5,expected <quantile>:<error>",
        "summary_quantiles=0.5:0.01:3,expected <quantile>:<error>",
        "summary_quantiles=half:0.01,expected <quantile>:<error>",
        "summary_quantiles=1.5:0.01,expected <quantile>:<error>",
        "summary_quantiles=0.5:x,expected <quantile>:<error>",
        "counter_latencies=perhaps,expected true or false"
      })
  void rejectsAnInvalidSetting(String setting, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--metrics-config=" + setting))
        .withMessageContaining(text);
  }
}
