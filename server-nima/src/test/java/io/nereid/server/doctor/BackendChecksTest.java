package io.nereid.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.Check;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BackendChecksTest {
  private static final Check LACKING = Check.unavailable("GPU", "no GPU", "buy one");

  private static List<Check> run(Map<String, List<Check>> backends, Map<String, String> needed) {
    return new BackendChecks(backends, needed).run();
  }

  @Test
  void whatABackendLacksIsAWarningUnlessAModelNeedsTheBackend() {
    assertThat(run(Map.of("b", List.of(LACKING)), Map.of("other", "m")))
        .contains(Check.warning("GPU", "no GPU", "buy one"));
    assertThat(run(Map.of("b", List.of(LACKING)), Map.of("b", "m")))
        .containsExactly(Check.problem("GPU", "no GPU (model 'm' needs it)", "buy one"));
  }

  @Test
  void otherFindingsStayWhatTheyAre() {
    List<Check> found =
        List.of(
            Check.ok("library", "1.0"),
            Check.warning("driver", "old", "update it"),
            Check.problem("file", "broken", "repair it"));

    assertThat(run(Map.of("b", found), Map.of("b", "m"))).isEqualTo(found);
  }

  @Test
  void aBackendThatChecksNothingIsFound() {
    assertThat(run(Map.of("b", List.of()), Map.of()))
        .containsExactly(Check.ok("backend 'b'", "found"));
  }

  @Test
  void aDirectoryWithoutBackendsIsAWarning() {
    assertThat(run(Map.of(), Map.of()))
        .extracting(Check::level)
        .containsExactly(Check.Level.WARNING);
  }
}
