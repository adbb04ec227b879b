package io.nereid.tck.command.report;

import io.nereid.tck.RuleCatalog.Level;
import java.time.Instant;
import java.util.List;

/**
 * The result of a run.
 *
 * @param kit the version of the kit
 * @param start when the run began
 * @param rules those that were chosen, in the order of the catalog
 */
public record RunReport(
    String kit, Instant start, long millis, ReportedServer server, List<RuleResult> rules) {
  public RunReport {
    rules = List.copyOf(rules);
  }

  /** How many rules have that level and verdict. */
  public long count(Level level, Verdict verdict) {
    return rules.stream()
        .filter(each -> each.rule().level() == level && each.verdict() == verdict)
        .count();
  }

  /**
   * Whether the server conforms, as far as it was asked: no required rule failed, and one passed.
   * If the run has optional rules only, they decide.
   */
  public boolean conforms() {
    return count(decisive(), Verdict.FAILED) == 0 && count(decisive(), Verdict.PASSED) > 0;
  }

  /** How many of the rules that decide were skipped. */
  public long undecided() {
    return count(decisive(), Verdict.SKIPPED);
  }

  /** What the run shows of the server, in a sentence. */
  public String sentence() {
    String counts =
        "%d required rules passed, %d failed, %d were skipped"
            .formatted(
                count(decisive(), Verdict.PASSED), count(decisive(), Verdict.FAILED), undecided());
    String rules =
        decisive() == Level.REQUIRED ? counts + optional() : counts.replace("required", "optional");
    if (!conforms()) {
      return "%s does not conform: %s.".formatted(server.title(), rules);
    }
    return undecided() == 0
        ? "%s conforms: %s.".formatted(server.title(), rules)
        : "%s conforms as far as it was verified: %s.".formatted(server.title(), rules);
  }

  private String optional() {
    long passed = count(Level.OPTIONAL, Verdict.PASSED);
    long failed = count(Level.OPTIONAL, Verdict.FAILED);
    return passed + failed == 0
        ? ""
        : "; of the optional ones that apply %d passed, %d failed".formatted(passed, failed);
  }

  private Level decisive() {
    boolean hasRequired = rules.stream().anyMatch(each -> each.rule().level() == Level.REQUIRED);
    return hasRequired ? Level.REQUIRED : Level.OPTIONAL;
  }
}
