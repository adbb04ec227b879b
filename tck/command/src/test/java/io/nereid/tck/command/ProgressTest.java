package io.nereid.tck.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.RuleCatalog.Entry;
import io.nereid.tck.RuleCatalog.Level;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.Failure;
import io.nereid.tck.command.report.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final List<Entry> RULES =
      List.of(
          new Entry("A-B-01", Level.REQUIRED, "RFC 1", "It is so.", ""),
          new Entry("A-B-02", Level.REQUIRED, "RFC 1", "It is not so.", ""),
          new Entry("C-01", Level.OPTIONAL, "RFC 1", "It may be so.", ""),
          new Entry("C-02", Level.UNTESTED, "RFC 1", "It is said to be so.", "slow"));

  private static final CaseResult PASSED =
      new CaseResult("a", Verdict.PASSED, 1, "", Optional.empty(), List.of());
  private static final CaseResult FAILED =
      new CaseResult(
          "b", Verdict.FAILED, 1, "", Optional.of(new Failure("no", "", "", "")), List.of());

  private final StringWriter out = new StringWriter();
  private long now;

  private Progress progress(boolean isTerminal) {
    return new Progress(new PrintWriter(out), isTerminal, () -> now, RULES);
  }

  @Test
  void hasALineForEachAreaAndEachFailedRule() {
    var progress = progress(false);
    progress.add("A-B-01", PASSED);
    progress.add("A-B-02", FAILED);
    progress.add("A-B-02", FAILED);
    now = 61_000_000_000L;
    progress.add("C-01", PASSED);
    progress.end();

    assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "A-B 1 of 3 rules, 0 failed, 0:00",
            "FAILED A-B-02 It is not so.",
            "C 3 of 3 rules, 1 failed, 1:01");
  }

  @Test
  void rewritesItsLineOnATerminal() {
    var progress = progress(true);
    progress.add("A-B-01", PASSED);
    progress.add("A-B-02", PASSED);
    progress.end();

    assertThat(out.toString()).doesNotContain("\n").endsWith("\r\u001b[2K");
  }
}
