package io.nereid.engine.model.lint;

import java.util.List;

/** What was found in how many models. */
public record LintReport(List<Finding> findings, int models) {
  public LintReport {
    findings = List.copyOf(findings);
  }

  /** How many findings are errors. */
  public long errors() {
    return findings.stream()
        .filter(finding -> finding.severity() == Finding.Severity.ERROR)
        .count();
  }
}
