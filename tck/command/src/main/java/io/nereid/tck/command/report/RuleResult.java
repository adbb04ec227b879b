package io.nereid.tck.command.report;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.RuleCatalog.Level;
import java.util.List;

/**
 * What came of a rule.
 *
 * @param cases in the order of their ends; none of an untested rule
 */
public record RuleResult(RuleCatalog.Entry rule, List<CaseResult> cases) {
  public RuleResult {
    cases = List.copyOf(cases);
  }

  public String area() {
    return RuleCatalog.areaOf(rule.id());
  }

  /** Failed if one case failed, passed if all passed. */
  public Verdict verdict() {
    if (rule.level() == Level.UNTESTED) {
      return Verdict.UNTESTED;
    }
    if (isAny(Verdict.FAILED)) {
      return Verdict.FAILED;
    }
    return cases.isEmpty() || isAny(Verdict.SKIPPED) ? Verdict.SKIPPED : Verdict.PASSED;
  }

  private boolean isAny(Verdict verdict) {
    return cases.stream().anyMatch(each -> each.verdict() == verdict);
  }

  /** Why the rule was skipped or is not tested; empty of others. */
  public String reason() {
    return switch (verdict()) {
      case UNTESTED -> rule.reason();
      case SKIPPED ->
          cases.stream()
              .filter(each -> each.verdict() == Verdict.SKIPPED)
              .map(CaseResult::reason)
              .findFirst()
              .orElse("no test of it was run");
      case PASSED, FAILED -> "";
    };
  }
}
