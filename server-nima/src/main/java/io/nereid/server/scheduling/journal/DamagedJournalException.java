package io.nereid.server.scheduling.journal;

import java.io.IOException;

/** A file is no journal, or not one that this version can read. */
public final class DamagedJournalException extends IOException {
  private static final long serialVersionUID = 1;

  public DamagedJournalException(String message, Object... arguments) {
    super(message.formatted(arguments));
  }
}
