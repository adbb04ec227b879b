package io.nereid.tck.execution;

import io.nereid.tck.RuleCatalog;
import org.jspecify.annotations.Nullable;

/**
 * The failure that a backend has broken a rule, which need not be the rule that was being verified:
 * a wrong shape shows in every execution. It names the rule, what was found, and where the contract
 * states it.
 */
public final class BrokenRule extends AssertionError {
  private static final long serialVersionUID = 1;

  private final String rule;

  /** What was found against a rule of the {@link RuleCatalog}. */
  public BrokenRule(String rule, String found) {
    this(rule, found, null);
  }

  /** What was found, with its cause if there is one. */
  public BrokenRule(String rule, String found, @Nullable Throwable cause) {
    super(text(rule, found), cause);
    this.rule = rule;
  }

  /** The id of the rule. */
  public String rule() {
    return rule;
  }

  private static String text(String rule, String found) {
    RuleCatalog.Entry entry = Catalog.RULES.entries().get(rule);
    if (entry == null) {
      throw new IllegalArgumentException("no rule '" + rule + "'");
    }
    return "%s: %s%nThe rule: %s See %s.".formatted(rule, found, entry.sentence(), entry.source());
  }

  /** Read when the first rule is broken. */
  private static final class Catalog {
    static final RuleCatalog RULES = RuleCatalog.load();
  }
}
