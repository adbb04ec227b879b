package io.nereid.server.options.declaration;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hides what may be a secret in the value of an option. */
final class SecretMask {
  static final String HIDDEN = "***";

  /** The key of a setting whose value may be a secret, with its sign. */
  private static final Pattern KEY =
      Pattern.compile(
          "(?:pass|pwd|secret|token|key|cred|auth|header|cookie|sign)[^=]*=",
          Pattern.CASE_INSENSITIVE);

  /** The user and the password of an address. */
  private static final Pattern USER = Pattern.compile("://[^/?#]*@");

  private SecretMask() {}

  /**
   * The text that may be shown.
   *
   * @param isSecret whether all that follows the first {@code =} is hidden
   */
  static String masked(String text, boolean isSecret) {
    int equals = text.indexOf('=');
    if (isSecret && equals >= 0) {
      return text.substring(0, equals + 1) + HIDDEN;
    }
    Matcher key = KEY.matcher(text);
    String shown = key.find() ? text.substring(0, key.end()) + HIDDEN : text;
    return USER.matcher(shown).replaceAll("://" + HIDDEN + "@");
  }
}
