package io.nereid.tck.command.report;

import io.nereid.tck.RuleCatalog.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The verdicts of a run by area and level, as text. */
public final class VerdictTable {
  private static final String ROW = "%-22s %9s %7s %8s   %9s %7s %8s   %9s%n";

  private VerdictTable() {}

  /** A line for each area, and one for all. */
  public static String of(RunReport report) {
    Map<String, List<RuleResult>> areas = new LinkedHashMap<>();
    report
        .rules()
        .forEach(rule -> areas.computeIfAbsent(rule.area(), _ -> new ArrayList<>()).add(rule));
    var table = new StringBuilder();
    table.append(ROW.formatted("", "required", "", "", "optional", "", "", ""));
    table.append(
        ROW.formatted(
            "area", "passed", "failed", "skipped", "passed", "failed", "skipped", "untested"));
    areas.forEach((area, rules) -> table.append(row(area, rules)));
    return table.append(row("all", report.rules())).toString();
  }

  private static String row(String name, List<RuleResult> rules) {
    return ROW.formatted(
        name,
        count(rules, Level.REQUIRED, Verdict.PASSED),
        count(rules, Level.REQUIRED, Verdict.FAILED),
        count(rules, Level.REQUIRED, Verdict.SKIPPED),
        count(rules, Level.OPTIONAL, Verdict.PASSED),
        count(rules, Level.OPTIONAL, Verdict.FAILED),
        count(rules, Level.OPTIONAL, Verdict.SKIPPED),
        count(rules, Level.UNTESTED, Verdict.UNTESTED));
  }

  private static String count(List<RuleResult> rules, Level level, Verdict verdict) {
    long count =
        rules.stream()
            .filter(each -> each.rule().level() == level && each.verdict() == verdict)
            .count();
    return count == 0 ? "." : Long.toString(count);
  }
}
