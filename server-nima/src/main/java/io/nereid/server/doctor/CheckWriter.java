package io.nereid.server.doctor;

import io.nereid.spi.Check;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * Prints a line for each check, the cure below it, and how many problems and warnings there are.
 */
public final class CheckWriter {
  private final PrintWriter out;

  public CheckWriter(PrintWriter out) {
    this.out = out;
  }

  /**
   * Prints all checks.
   *
   * @return whether there is no problem
   */
  public boolean write(List<Check> checks) {
    checks.forEach(this::write);
    long problems = count(checks, Check.Level.PROBLEM);
    long warnings = count(checks, Check.Level.WARNING);
    out.println(counted(problems, "problem") + ", " + counted(warnings, "warning"));
    out.flush();
    return problems == 0;
  }

  private void write(Check check) {
    out.printf(
        "%-8s %s: %s%n",
        check.level().name().toLowerCase(Locale.ROOT), check.subject(), oneLine(check.finding()));
    if (!check.cure().isEmpty()) {
      out.printf("%-8s cure: %s%n", "", oneLine(check.cure()));
    }
  }

  private static long count(List<Check> checks, Check.Level level) {
    return checks.stream().filter(check -> check.level() == level).count();
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  /** Such as {@code 1 error}, {@code 2 errors}. */
  static String counted(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
