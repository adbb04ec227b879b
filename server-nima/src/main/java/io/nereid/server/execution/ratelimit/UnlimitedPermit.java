package io.nereid.server.execution.ratelimit;

/** It is always this instance's turn. */
record UnlimitedPermit(Runnable onGrant) implements InstancePermit {
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
