package io.nereid.tck.command.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MatrixTableTest {
  @Test
  void countsTheRulesOfEachRunByAreaAndLevel() {
    String some = JsonReport.of(SampleRun.report());
    String one =
        JsonReport.of(
            SampleRun.of(
                new RuleResult(
                    SampleRun.rule("HTTP-INFER-02", "OPTIONAL"), List.of(SampleRun.passed("a")))));

    assertThat(MatrixTable.of(List.of(some, one)))
        .isEqualTo(
            """
            | passed / failed / skipped | sample 1.2 | sample 1.2 |
            | --- | --- | --- |
            | all, required | 1 / 1 / 0 | 0 / 0 / 0 |
            | all, optional | 0 / 0 / 1 | 1 / 0 / 0 |
            | HTTP-HEALTH, required | 1 / 0 / 0 | 0 / 0 / 0 |
            | HTTP-INFER, required | 0 / 1 / 0 | 0 / 0 / 0 |
            | HTTP-INFER, optional | 0 / 0 / 1 | 1 / 0 / 0 |\
            """);
  }
}
