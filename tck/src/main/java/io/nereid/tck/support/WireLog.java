package io.nereid.tck.support;

import java.util.ArrayList;
import java.util.List;

/**
 * What went over the wires to a server since it was last asked, in the order of its beginning. Kept
 * for reports; a test does not read it. Thread-safe.
 */
public final class WireLog {
  private final boolean isKept;
  private final List<WireMessage> messages = new ArrayList<>();

  private WireLog(boolean isKept) {
    this.isKept = isKept;
  }

  /** Keeps nothing, and costs nothing. */
  public static WireLog none() {
    return new WireLog(false);
  }

  /** Keeps the first bytes of each message until {@link #take}. */
  public static WireLog keeping() {
    return new WireLog(true);
  }

  public boolean isKept() {
    return isKept;
  }

  public synchronized void add(WireMessage message) {
    if (isKept) {
      messages.add(message);
    }
  }

  /** What was added since the last call. */
  public synchronized List<WireMessage> take() {
    List<WireMessage> taken = List.copyOf(messages);
    messages.clear();
    return taken;
  }
}
