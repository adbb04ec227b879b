package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class RateLimitOptionsTest {
  private static RateLimitOptions parse(String... arguments) {
    List<String> all = new ArrayList<>(List.of("--model-store=/a"));
    all.addAll(List.of(arguments));
    return ParsedOptions.of(all.toArray(String[]::new)).rateLimit();
  }

  @Test
  void theRateLimiterIsOffByDefault() {
    assertThat(parse().limiter()).isSameAs(RateLimiter.OFF);
    assertThat(parse("--rate-limit=off").limiter()).isSameAs(RateLimiter.OFF);
    assertThat(parse("--rate-limit", "Execution_Count").limiter())
        .isInstanceOf(ExecutionCountLimiter.class);
  }

  @Test
  void resourcesExistOnOneDeviceOrOnEach() {
    assertThat(parse("--rate-limit-resource=R1:4", "--rate-limit-resource", "r1:0:12").resources())
        .containsExactly(
            new ResourceLimit("R1", 4, OptionalInt.empty()),
            new ResourceLimit("r1", 0, OptionalInt.of(12)));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "--rate-limit=on,expected off or execution_count",
        "--rate-limit-resource=R,--rate-limit-resource option format is"
            + " '<resource_name>:<count>:<device>' or '<resource_name>:<count>'. Got R",
        "--rate-limit-resource=R:1:0:2,or '<resource_name>:<count>'. Got R:1:0:2",
        "--rate-limit-resource=R:,Invalid option value. Got",
        "--rate-limit-resource=R:many,Invalid option value. Got many",
        "--rate-limit-resource=R:1:gpu,Invalid option value. Got gpu",
        "--rate-limit-resource=R:2147483648,Provided option value is out of bound. Got 2147483648",
        "--rate-limit-resource=R:-1,Provided option value is out of bound. Got -1",
        "--rate-limit-resource=R:1:-1,Provided option value is out of bound. Got -1"
      })
  void rejectsAnInvalidRateLimit(String argument, String text) {
    assertThatExceptionOfType(ParameterException.class)
        .isThrownBy(() -> parse(argument))
        .withMessageContaining(text);
  }
}
