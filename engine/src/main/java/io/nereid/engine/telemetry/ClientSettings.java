package io.nereid.engine.telemetry;

import io.nereid.error.InferenceException;
import java.util.Locale;

/** What clients may change of the settings of log and traces, as the operator allows. */
public enum ClientSettings {
  /** Nothing. */
  NONE,
  /**
   * What costs others nothing: errors and warnings stay in the log, libraries log no details, and
   * no tensors are traced, and no files are made for a few traces each, unless the server was
   * started so.
   */
  SAFE,
  /** Everything but the files. */
  ALL;

  /**
   * The refusal of a change that these do not allow.
   *
   * @param reason what a client may not do
   */
  public InferenceException refusal(String reason) {
    return InferenceException.invalid(
        this == NONE
            ? "clients may not change settings, since the server was started with"
                + " --client-settings=none"
            : reason + ", unless the server is started with --client-settings=all");
  }

  /** As the option spells it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
