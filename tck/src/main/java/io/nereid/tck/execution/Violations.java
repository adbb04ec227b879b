package io.nereid.tck.execution;

import io.nereid.error.InferenceException;
import java.util.ArrayList;
import java.util.List;

/** What a backend did against the rules, in the order of its calls. Thread-safe. */
public final class Violations {
  /** A rule, and what was done against it. */
  record Violation(String rule, String text) {}

  private final List<Violation> all = new ArrayList<>();

  /** Records a violation of a rule and returns it, to be thrown where the server throws. */
  public synchronized IllegalStateException add(String rule, String text) {
    all.add(new Violation(rule, text));
    return new IllegalStateException(text);
  }

  /** The last one, as the failure that a client gets. */
  synchronized InferenceException lastAsFailure() {
    return InferenceException.internal(all.getLast().text());
  }

  public synchronized List<String> texts() {
    return all.stream().map(Violation::text).toList();
  }

  /**
   * Fails if there is one.
   *
   * @throws BrokenRule with the first rule that was broken, and all that was found
   */
  public synchronized void requireNone() {
    if (!all.isEmpty()) {
      throw new BrokenRule(
          all.getFirst().rule(), String.join("; ", texts().stream().distinct().toList()));
    }
  }
}
