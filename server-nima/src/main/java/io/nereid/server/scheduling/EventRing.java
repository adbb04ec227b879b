package io.nereid.server.scheduling;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.nereid.server.request.PendingRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a scheduler, in order: a bounded Disruptor ring with many producers and, at any
 * time, one reader. Nobody waits: a new request finds the ring full or not, and what concerns a
 * request that is in already goes around a full ring.
 */
final class EventRing {
  /** What has happened. */
  enum Kind {
    ARRIVED,
    CANCELLED,
    RESCHEDULED,
    READY,
    EXECUTED,
    INSTANCE_ADDED,
    INSTANCE_REMOVED,
    STOPPED
  }

  /** Takes the events. */
  @FunctionalInterface
  interface Reader {
    /**
     * Takes one event.
     *
     * @param request of the first three kinds
     * @param instance of the kinds that speak of instances
     * @param nanos of {@code EXECUTED}: when the model had ended
     */
    void event(Kind kind, @Nullable PendingRequest request, int instance, long nanos);
  }

  /** A slot of the ring, or an event beside it. */
  private static final class Event {
    Kind kind = Kind.STOPPED;
    @Nullable PendingRequest request;
    int instance;
    long nanos;

    void set(Kind newKind, @Nullable PendingRequest newRequest, int newInstance, long newNanos) {
      kind = newKind;
      request = newRequest;
      instance = newInstance;
      nanos = newNanos;
    }
  }

  private final RingBuffer<Event> ring;
  private final EventPoller<Event> poller;
  private final Queue<Event> beside = new ConcurrentLinkedQueue<>();
  private final EventPoller.Handler<Event> handler;
  private final Reader reader;

  /**
   * An empty ring.
   *
   * @param capacity a power of two
   */
  EventRing(int capacity, Reader reader) {
    // Nobody ever waits on the ring itself, so the strategy does not matter; this one has no lock.
    ring = RingBuffer.createMultiProducer(Event::new, capacity, new YieldingWaitStrategy());
    poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
    this.reader = reader;
    this.handler =
        (event, _, _) -> {
          pass(event);
          return true;
        };
  }

  /** Adds an event, if there is room. From any thread. */
  boolean offer(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException full) {
      return false;
    }
    // Nothing that can throw or block may stand between claim and publish.
    ring.get(sequence).set(kind, request, instance, nanos);
    ring.publish(sequence);
    return true;
  }

  /** Adds an event that must not be lost. From any thread. */
  void add(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    // Nothing passes what has gone around before it: one thread's events stay in order.
    if (!beside.isEmpty() || !offer(kind, request, instance, nanos)) {
      var event = new Event();
      event.set(kind, request, instance, nanos);
      beside.add(event);
    }
  }

  /** Passes on all events that are there. By one thread at a time. */
  void drain() {
    try {
      while (poller.poll(handler) == EventPoller.PollState.PROCESSING) {
        Thread.onSpinWait();
      }
    } catch (Exception impossible) {
      throw new IllegalStateException("the handler throws nothing checked", impossible);
    }
    for (Event event = beside.poll(); event != null; event = beside.poll()) {
      pass(event);
    }
  }

  private void pass(Event event) {
    PendingRequest request = event.request;
    event.request = null; // a request that has ended must not be kept alive by its slot
    reader.event(event.kind, request, event.instance, event.nanos);
  }
}
