package io.nereid.tck.command.tested;

import io.nereid.tck.command.report.CaseResult;
import io.nereid.tck.command.report.ReportedServer;
import io.nereid.tck.support.WireMessage;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What a run verifies. One thread uses it. */
public interface Tested {
  /** What reports say of it, as far as it is known. */
  ReportedServer identity();

  /** Has JUnit run the class of the tests, once for each part that is verified. */
  void run(Consumer<Class<?>> junit);

  /** The result of a case of a rule, as it counts. */
  CaseResult counted(String rule, CaseResult result);

  /** Those of all cases of a rule that count, in their order. */
  default List<CaseResult> decisive(List<CaseResult> results) {
    return results;
  }

  /** What was sent and received since the last call. */
  default List<WireMessage> takeMessages() {
    return List.of();
  }

  /**
   * Why these messages cannot show whether a rule holds: a model that the server does not have. A
   * test may have taken the obstacle for a response, so its result does not count.
   */
  default Optional<String> missingModel(List<WireMessage> messages) {
    return Optional.empty();
  }
}
