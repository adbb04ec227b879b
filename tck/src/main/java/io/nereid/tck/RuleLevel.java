package io.nereid.tck;

/** How binding a rule is. */
public enum RuleLevel {
  /** A server or backend that breaks it does not conform. */
  REQUIRED,
  /** It may be left out; a test shows it where it is there. */
  OPTIONAL,
  /** It holds, and no test shows it; the catalog says why. */
  UNTESTED
}
