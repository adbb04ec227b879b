package io.nereid.server.scheduling.ensemble;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The events of one request, handled one at a time by those who bring them: who comes while another
 * is at it leaves its event there and goes. So nobody waits, no lock is held, and an event that
 * comes out of handling another one makes the stack no deeper.
 */
final class RunInbox {
  private final Consumer<RunEvent> handler;
  private final Queue<RunEvent> events = new ConcurrentLinkedQueue<>();

  /** Events brought and not handled yet; who raises it from 0 handles until it is 0 again. */
  private final AtomicInteger brought = new AtomicInteger();

  /**
   * @param handler never throws
   */
  RunInbox(Consumer<RunEvent> handler) {
    this.handler = handler;
  }

  /** Handles an event, or leaves it to the thread that is at it. From any thread. */
  void post(RunEvent event) {
    events.add(event);
    if (brought.getAndIncrement() == 0) {
      do {
        handler.accept(events.remove());
      } while (brought.decrementAndGet() > 0);
    }
  }
}
