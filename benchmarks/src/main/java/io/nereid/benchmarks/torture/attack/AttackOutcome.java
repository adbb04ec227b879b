package io.nereid.benchmarks.torture.attack;

import java.util.ArrayList;
import java.util.List;

/**
 * The result of an attack.
 *
 * @param answer what the server did, in a few words for a table
 * @param violations what it should not have done, a sentence each
 */
public record AttackOutcome(String answer, List<String> violations) {
  public AttackOutcome {
    violations = List.copyOf(violations);
  }

  public static AttackOutcome of(String answer) {
    return new AttackOutcome(answer, List.of());
  }

  /** With {@code violation} unless {@code holds}. */
  public AttackOutcome require(boolean holds, String violation) {
    if (holds) {
      return this;
    }
    var all = new ArrayList<>(violations);
    all.add(violation);
    return new AttackOutcome(answer, all);
  }
}
