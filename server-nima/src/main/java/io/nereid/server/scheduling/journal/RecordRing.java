package io.nereid.server.scheduling.journal;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Records on their way from the schedulers to the thread that writes them; bounded, lock-free. */
final class RecordRing {
  /** A slot. */
  private static final class Slot {
    @Nullable JournalRecord record;
  }

  private final RingBuffer<Slot> ring;
  private final EventPoller<Slot> poller;
  private final EventPoller.Handler<Slot> handler;

  /**
   * An empty ring.
   *
   * @param capacity a power of two
   * @param reader takes the records in {@link #drain}
   */
  RecordRing(int capacity, Consumer<JournalRecord> reader) {
    // Nobody waits on the ring itself, so the strategy does not matter; this one has no lock.
    ring = RingBuffer.createMultiProducer(Slot::new, capacity, new YieldingWaitStrategy());
    poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
    handler =
        (slot, _, _) -> {
          JournalRecord record = Objects.requireNonNull(slot.record);
          slot.record = null;
          reader.accept(record);
          return true;
        };
  }

  /** Adds a record; false if there is no room. Never waits. */
  boolean offer(JournalRecord record) {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException full) {
      return false;
    }
    // Nothing that can throw or block may stand between claim and publish.
    ring.get(sequence).record = record;
    ring.publish(sequence);
    return true;
  }

  /** Passes on all records that are there. By one thread. */
  void drain() {
    try {
      while (poller.poll(handler) == EventPoller.PollState.PROCESSING) {
        Thread.onSpinWait();
      }
    } catch (Exception impossible) {
      throw new IllegalStateException("the handler throws nothing checked", impossible);
    }
  }
}
