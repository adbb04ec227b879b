package io.nereid.tck.command.report;

import io.nereid.tck.support.WireMessage;
import java.util.List;
import java.util.Optional;

/**
 * What came of one case of a rule.
 *
 * @param name the case among those of its rule; a line of a table, or the test's method
 * @param reason why it was skipped; empty if it was not
 * @param failure of a failed case
 * @param messages what the test sent and received, in this order
 */
public record CaseResult(
    String name,
    Verdict verdict,
    long millis,
    String reason,
    Optional<Failure> failure,
    List<WireMessage> messages) {
  public CaseResult {
    name = WireMessage.limited(name);
    messages = List.copyOf(messages);
  }

  /** A case that was not verified. */
  public static CaseResult skipped(String name, String reason) {
    return new CaseResult(name, Verdict.SKIPPED, 0, reason, Optional.empty(), List.of());
  }
}
