package io.nereid.server.scheduling.journal.replay;

import org.jspecify.annotations.Nullable;

/** A batch key of which only its number is known. It changes while its request does not wait. */
final class ReplayedKey {
  private int batchClass;

  ReplayedKey(int batchClass) {
    this.batchClass = batchClass;
  }

  void become(int newBatchClass) {
    batchClass = newBatchClass;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ReplayedKey key && key.batchClass == batchClass;
  }

  @Override
  public int hashCode() {
    return batchClass;
  }
}
