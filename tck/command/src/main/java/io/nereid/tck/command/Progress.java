package io.nereid.tck.command;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.nereid.tck.RuleCatalog;
import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.Failure;
import io.nereid.tck.command.report.Verdict;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * What a run says while it goes on: each rule that fails, and where it is; on a terminal in a line
 * that is written again and again, elsewhere in a line for each area.
 */
final class Progress {
  private static final String ERASE_LINE = "\r\u001b[2K";

  private final PrintWriter out;
  private final boolean isTerminal;
  private final LongSupplier nanoTime;
  private final Map<String, RuleCatalog.Entry> rules;
  private final long startNanos;
  private final Set<String> done = new HashSet<>();
  private final Set<String> failed = new HashSet<>();
  private final Set<String> areas = new HashSet<>();

  /** The progress of a run of these rules, which begins now. */
  Progress(
      PrintWriter out, boolean isTerminal, LongSupplier nanoTime, List<RuleCatalog.Entry> rules) {
    this.out = out;
    this.isTerminal = isTerminal;
    this.nanoTime = nanoTime;
    this.rules =
        rules.stream()
            .filter(rule -> rule.level() != RuleCatalog.Level.UNTESTED)
            .collect(Collectors.toMap(RuleCatalog.Entry::id, Function.identity()));
    this.startNanos = nanoTime.getAsLong();
  }

  /** A case of that rule has ended. */
  void add(String id, CaseResult result) {
    String area = RuleCatalog.areaOf(id);
    boolean isNewArea = areas.add(area);
    done.add(id);
    if (isTerminal) {
      out.print(ERASE_LINE);
    }
    if (result.verdict() == Verdict.FAILED && failed.add(id)) {
      RuleCatalog.Entry rule = rules.get(id);
      String message = result.failure().map(Failure::message).orElse("");
      boolean namesRule = message.startsWith(id); // and says where to look
      String sentence = rule == null ? "" : rule.sentence();
      out.printf("FAILED %s%n", namesRule ? message : id + "  " + sentence);
    }
    if (isTerminal) {
      out.print(line(area));
    } else if (isNewArea) {
      out.println(line(area));
    }
    out.flush();
  }

  /** Ends the line of a terminal. */
  void end() {
    out.print(isTerminal ? ERASE_LINE : "");
    out.flush();
  }

  private String line(String area) {
    long seconds = NANOSECONDS.toSeconds(nanoTime.getAsLong() - startNanos);
    return "%-20s %4d of %d rules, %d failed, %d:%02d"
        .formatted(area, done.size(), rules.size(), failed.size(), seconds / 60, seconds % 60);
  }
}
