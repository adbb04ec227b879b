package io.nereid.tck;

/** How binding a rule is. */
public enum RuleLevel {
  /** A server or backend that violates it does not conform. */
  REQUIRED,
  /** It may be left out; a test verifies it where it is implemented. */
  OPTIONAL,
  /** It holds, and no test verifies it; the catalog states why. */
  UNTESTED
}
