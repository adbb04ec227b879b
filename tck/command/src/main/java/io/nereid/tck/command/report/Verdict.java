package io.nereid.tck.command.report;

import java.util.Locale;

/** What came of a rule, or of one of its cases. */
public enum Verdict {
  PASSED,
  FAILED,
  /** Not all of it was verified; the reason is stated. */
  SKIPPED,
  /** The kit has no test of it; the catalog states why. */
  UNTESTED;

  /** As reports write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
