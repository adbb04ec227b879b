package io.nereid.engine.scheduling;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.nereid.engine.request.PendingRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The queue of events of one scheduler: a bounded Disruptor ring with many producers and one reader
 * at a time. No thread waits. If the ring is full, {@link #offer} returns false, and {@link #add}
 * appends the event to an unbounded overflow queue. The ring is allocated by the first {@link
 * #offer}: with 4,096 slots it takes 160 KiB, which a model without requests does not need.
 */
final class EventRing {
  /** The kind of an event. */
  enum Kind {
    ARRIVED,
    /** A request arrived that has a cached response. */
    ANSWERED,
    /** The head of a request has come. */
    ANNOUNCED,
    CANCELLED,
    RESCHEDULED,
    READY,
    CUT_SHORT,
    EXECUTED,
    FINISHED,
    INSTANCE_ADDED,
    INSTANCE_REMOVED,
    /** It was asked how long a request would wait. */
    ASKED,
    STOPPED
  }

  /** The consumer of events. */
  @FunctionalInterface
  interface Reader {
    /**
     * Handles one event.
     *
     * @param request of the first five kinds
     * @param instance of the kinds about instances
     * @param nanos of {@code EXECUTED} and {@code FINISHED}: when the model had ended
     */
    void event(Kind kind, @Nullable PendingRequest request, int instance, long nanos);
  }

  /** A mutable event: an entry of the ring or of the overflow queue. */
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

  private record Ring(RingBuffer<Event> slots, EventPoller<Event> poller) {
    static Ring allocate(int capacity) {
      // No thread waits on the ring, so any wait strategy will do; this one has no lock.
      RingBuffer<Event> slots =
          RingBuffer.createMultiProducer(Event::new, capacity, new YieldingWaitStrategy());
      EventPoller<Event> poller = slots.newPoller();
      slots.addGatingSequences(poller.getSequence());
      return new Ring(slots, poller);
    }
  }

  private final int capacity;
  private volatile @Nullable Ring ring;
  private final Queue<Event> overflow = new ConcurrentLinkedQueue<>();
  private final EventPoller.Handler<Event> handler;
  private final Reader reader;

  /**
   * Creates an empty ring.
   *
   * @param capacity a power of two
   */
  EventRing(int capacity, Reader reader) {
    this.capacity = capacity;
    this.reader = reader;
    this.handler =
        (event, _, _) -> {
          deliver(event);
          return true;
        };
  }

  /** Adds an event if the ring is not full. Thread-safe. */
  boolean offer(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    Ring allocated = ring;
    RingBuffer<Event> slots = (allocated == null ? allocate() : allocated).slots;
    long sequence;
    try {
      sequence = slots.tryNext();
    } catch (InsufficientCapacityException full) {
      return false;
    }
    // An exception between claim and publish would block the ring.
    slots.get(sequence).set(kind, request, instance, nanos);
    slots.publish(sequence);
    return true;
  }

  private synchronized Ring allocate() {
    Ring allocated = ring;
    if (allocated == null) {
      allocated = Ring.allocate(capacity);
      ring = allocated;
    }
    return allocated;
  }

  /** Adds an event, to the overflow queue if the ring is full or not allocated. Thread-safe. */
  void add(Kind kind, @Nullable PendingRequest request, int instance, long nanos) {
    // While the overflow queue has events, further ones follow there: a thread's events keep order.
    if (ring == null || !overflow.isEmpty() || !offer(kind, request, instance, nanos)) {
      var event = new Event();
      event.set(kind, request, instance, nanos);
      overflow.add(event);
    }
  }

  /** Delivers all events to the reader. One thread at a time. */
  void drain() {
    drainRing();
    for (Event event = overflow.peek(); event != null; event = overflow.peek()) {
      drainRing(); // has what its thread has added before
      try {
        deliver(event);
      } finally {
        overflow.remove(); // only now: what its thread adds meanwhile is behind it
      }
    }
  }

  private void drainRing() {
    Ring allocated = ring;
    if (allocated != null) {
      drain(allocated.poller);
    }
  }

  private void drain(EventPoller<Event> poller) {
    try {
      while (poller.poll(handler) == EventPoller.PollState.PROCESSING) {
        Thread.onSpinWait();
      }
    } catch (Exception impossible) {
      throw new IllegalStateException("the handler throws nothing checked", impossible);
    }
  }

  private void deliver(Event event) {
    PendingRequest request = event.request;
    event.request = null; // keep no ended request reachable
    reader.event(event.kind, request, event.instance, event.nanos);
  }
}
