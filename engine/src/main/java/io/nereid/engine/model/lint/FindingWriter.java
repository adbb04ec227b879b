package io.nereid.engine.model.lint;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Prints findings as compilers do: {@code file:line:column: error: field: message}, then the line
 * with a mark below the place.
 */
public record FindingWriter(PrintWriter out) {
  /** Prints all findings, and how many they are. */
  public void write(LintReport report) {
    report.findings().forEach(this::write);
    long errors = report.errors();
    long warnings = report.findings().size() - errors;
    out.printf(
        Locale.ROOT,
        "%s%s in %s%n",
        count(errors, "error"),
        warnings == 0 ? "" : " and " + count(warnings, "warning"),
        count(report.models(), "model"));
    out.flush();
  }

  private void write(Finding finding) {
    String field = finding.field().isEmpty() ? "" : finding.field() + ": ";
    out.printf(
        "%s%s: %s: %s%s%n",
        finding.file(),
        finding.position().map(":%s"::formatted).orElse(""),
        finding.severity().name().toLowerCase(Locale.ROOT),
        field,
        finding.message().replaceAll("\\p{Cntrl}+", " "));
    finding
        .position()
        .filter(position -> position.column() <= finding.line().length() + 1)
        .filter(_ -> !finding.line().isBlank())
        .ifPresent(position ->
            out.printf("  %s%n  %s^%n", finding.line(), " ".repeat(position.column() - 1)));
  }

  private static String count(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
