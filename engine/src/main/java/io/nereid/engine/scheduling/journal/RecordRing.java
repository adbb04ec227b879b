package io.nereid.engine.scheduling.journal;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The bounded, lock-free ring between the schedulers and the thread that writes the journal. */
final class RecordRing {
  private static final class Slot {
    @Nullable JournalRecord record;
  }

  private final RingBuffer<Slot> ring;
  private final EventPoller<Slot> poller;
  private final EventPoller.Handler<Slot> handler;

  /**
   * @param capacity a power of two
   * @param reader receives the records in {@link #drain}
   */
  RecordRing(int capacity, Consumer<JournalRecord> reader) {
    // No thread waits on the ring, so any strategy will do; this one has no lock.
    ring = RingBuffer.createMultiProducer(Slot::new, capacity, new YieldingWaitStrategy());
    poller = ring.newPoller();
    ring.addGatingSequences(poller.getSequence());
    handler =
        (slot, _, _) -> {
          JournalRecord record = slot.record;
          if (record != null) { // else the reader has failed on it, and the poller repeats it
            slot.record = null;
            reader.accept(record);
          }
          return true;
        };
  }

  /** Adds a record; returns false if the ring is full. Does not wait. */
  boolean offer(JournalRecord record) {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException full) {
      return false;
    }
    // A claimed slot must be published: nothing here may throw or block.
    ring.get(sequence).record = record;
    ring.publish(sequence);
    return true;
  }

  /** Passes all records to the reader. For one thread. */
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
