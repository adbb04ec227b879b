package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.execution.affinity.HostPolicy;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class InstanceOptionsTest {
  private static InstanceOptions parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new)).instances();
  }

  @Test
  void thereAreNoHostPoliciesByDefault() {
    assertThat(parse().byName()).isEmpty();
  }

  @Test
  void noExecutionIsWatchedByDefault() {
    assertThat(parse().executionLimit()).isZero();
    assertThat(parse("--execution-warning-secs=7").executionLimit())
        .isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void aThousandRequestsMayBeDetachedUnlessTheOptionSaysOtherwise() {
    assertThat(parse().limits(RateLimiter.OFF).maxDetached()).isEqualTo(1000);
    assertThat(parse("--max-detached-requests=1").limits(RateLimiter.OFF).maxDetached())
        .isEqualTo(1);
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--max-detached-requests=0"))
        .withMessageContaining("out of bound. Got 0");
  }

  @Test
  void settingsOfAPolicyAddUp() {
    var options =
        parse(
            "--host-policy=gpu_0,numa-node=0",
            "--host-policy",
            "gpu_0,cpu-cores=0-1,4-5",
            "--host-policy=cpu,cpu-cores=2-3");

    assertThat(options.byName())
        .isEqualTo(
            Map.of(
                "gpu_0",
                HostPolicy.ANY.with("numa-node", "0").with("cpu-cores", "0-1,4-5"),
                "cpu",
                HostPolicy.ANY.with("cpu-cores", "2-3")));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      value = {
        "cpu|--host-policy option format is '<policy name>,<setting>=<value>'. Got cpu",
        "cpu,cpu-cores|Got cpu,cpu-cores",
        "cpu,=0-1|Got cpu,=0-1",
        ",cpu-cores=0-1|Got ,cpu-cores=0-1",
        "cpu,cpu-cores=|Got cpu,cpu-cores=",
        "cpu-cores=0-1,cpu|Got cpu-cores=0-1,cpu",
        "cpu,nice=5|Unsupported host policy setting 'nice' is specified, supported settings are"
            + " 'numa-node', 'cpu-cores'",
        "cpu,cpu-cores=5|host policy setting 'cpu-cores' format is",
        "cpu,numa-node=x|Parsing 'numa-node' value: Can't parse 'x' to integer",
      })
  void rejectsAnInvalidHostPolicy(String value, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse("--host-policy=" + value))
        .withMessageContaining(text);
  }
}
