package io.nereid.tck.support;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.opentest4j.TestAbortedException;

/**
 * What went over the wires to a server since it was last asked, in the order of its beginning. Kept
 * for reports; a test does not read it. Thread-safe.
 */
public final class WireLog {
  private final boolean isKept;
  private final Function<WireMessage, Optional<String>> obstacle;
  private final List<WireMessage> messages = new ArrayList<>();

  private WireLog(boolean isKept, Function<WireMessage, Optional<String>> obstacle) {
    this.isKept = isKept;
    this.obstacle = obstacle;
  }

  /** Keeps nothing, and costs nothing. */
  public static WireLog none() {
    return new WireLog(false, _ -> Optional.empty());
  }

  /**
   * Keeps the first bytes of each message until {@link #take}. A test that is about to send a
   * message with an obstacle is skipped at once.
   *
   * @param obstacle why the server's response to a message shows nothing; empty if it may
   */
  public static WireLog keeping(Function<WireMessage, Optional<String>> obstacle) {
    return new WireLog(true, obstacle);
  }

  public boolean isKept() {
    return isKept;
  }

  /**
   * Adds a message that is about to be sent, or that was received.
   *
   * @throws TestAbortedException if the message has an obstacle
   */
  public void add(WireMessage message) {
    if (isKept) {
      synchronized (messages) {
        messages.add(message);
      }
      obstacle
          .apply(message)
          .ifPresent(reason -> {
            throw new TestAbortedException(reason);
          });
    }
  }

  /** What was added since the last call. */
  public List<WireMessage> take() {
    synchronized (messages) {
      List<WireMessage> taken = List.copyOf(messages);
      messages.clear();
      return taken;
    }
  }
}
