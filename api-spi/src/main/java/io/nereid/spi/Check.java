package io.nereid.spi;

/**
 * One thing that was looked at before a server starts, and what was found.
 *
 * @param subject what was looked at, such as {@code CUDA driver}
 * @param finding what was found, one line
 * @param cure what an operator can do; empty if there is nothing to do
 */
public record Check(Level level, String subject, String finding, String cure) {
  /** What a finding means for the server. */
  public enum Level {
    OK,
    /** The server works, though not as well as it could. */
    WARNING,
    /**
     * The backend cannot run models on this machine. That is a problem only for a server that has
     * such models.
     */
    UNAVAILABLE,
    /** Something is broken, and would keep the server from its work. */
    PROBLEM
  }

  public static Check ok(String subject, String finding) {
    return new Check(Level.OK, subject, finding, "");
  }

  public static Check warning(String subject, String finding, String cure) {
    return new Check(Level.WARNING, subject, finding, cure);
  }

  public static Check unavailable(String subject, String finding, String cure) {
    return new Check(Level.UNAVAILABLE, subject, finding, cure);
  }

  public static Check problem(String subject, String finding, String cure) {
    return new Check(Level.PROBLEM, subject, finding, cure);
  }
}
