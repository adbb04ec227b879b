package io.nereid.ratelimit;

/** It is always this instance's turn. */
record UnlimitedTurns(Runnable onGrant) implements Turns {
  @Override
  public long priority() {
    return 0;
  }

  @Override
  public void stage() {
    onGrant.run();
  }

  /** There is nothing to hold. */
  @Override
  public boolean isGranted() {
    return false;
  }

  @Override
  public void giveBack() {}

  @Override
  public void release(boolean again) {}

  @Override
  public void close() {}
}
