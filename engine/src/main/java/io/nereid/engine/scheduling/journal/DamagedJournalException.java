package io.nereid.engine.scheduling.journal;

import java.io.IOException;

/** Thrown if a file is damaged, not a journal, or a journal of another version. */
public final class DamagedJournalException extends IOException {
  private static final long serialVersionUID = 1;

  public DamagedJournalException(String message, Object... arguments) {
    super(message.formatted(arguments));
  }
}
