package io.nereid.instance;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import io.nereid.exchange.PendingRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue between the connections and a model's instances: a Disruptor ring with many
 * producers, in which any idle reader takes the oldest request.
 *
 * <p>A reader that becomes idle draws the next ticket and waits until the slot of that number is
 * published, so requests start in order of arrival and no two readers meet. Producers are held back
 * by the slots that nobody has drawn yet ({@link #drawn}) and by those whose reader has not emptied
 * them yet; a reader that is busy holds no slot, however long it runs.
 */
public final class RequestRing {
  /** A slot of the ring; empty again once its reader has taken the request. */
  private static final class Slot {
    @Nullable PendingRequest request;
  }

  private final RingBuffer<Slot> ring;
  private final Sequence drawn = new Sequence();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final List<SequenceBarrier> barriers = new ArrayList<>();

  /**
   * @param capacity a power of two
   */
  public RequestRing(int capacity) {
    ring = RingBuffer.createMultiProducer(Slot::new, capacity, new BlockingWaitStrategy());
    ring.addGatingSequences(drawn);
  }

  public int capacity() {
    return ring.getBufferSize();
  }

  /** Requests that no reader has drawn yet. From any thread; a moment's estimate. */
  public long waiting() {
    return Math.max(0, ring.getCursor() - drawn.get());
  }

  /**
   * Publishes a request. From any thread; never waits.
   *
   * @return whether there was room
   */
  public boolean offer(PendingRequest request) {
    long sequence;
    try {
      sequence = ring.tryNext();
    } catch (InsufficientCapacityException full) {
      return false;
    }
    // Nothing that can throw or block may stand between claim and publish.
    ring.get(sequence).request = request;
    ring.publish(sequence);
    return true;
  }

  /** Adds a reader, before the first request. */
  public Reader reader() {
    SequenceBarrier barrier = ring.newBarrier();
    barriers.add(barrier);
    Sequence held = new Sequence(Long.MAX_VALUE);
    ring.addGatingSequences(held);
    // addGatingSequences moves a sequence to the cursor; a reader without a ticket holds nothing.
    held.set(Long.MAX_VALUE);
    return new Reader(barrier, held);
  }

  /** Has every reader return null from its next {@link Reader#take}. From any thread. */
  public void stop() {
    barriers.forEach(SequenceBarrier::alert);
    stopped.countDown();
  }

  /** One instance's end of the ring; used by that instance's thread only. */
  public final class Reader {
    private final SequenceBarrier barrier;

    /** All slots up to this one are free as far as this reader goes. */
    private final Sequence held;

    private Reader(SequenceBarrier barrier, Sequence held) {
      this.barrier = barrier;
      this.held = held;
    }

    /** Waits until the ring has stopped, and takes nothing: what a passive instance does. */
    public void awaitStop() throws InterruptedException {
      stopped.await();
    }

    /** Waits for the next request; null once the ring has stopped. */
    public @Nullable PendingRequest take() throws InterruptedException {
      held.set(drawn.get()); // before the draw, so that no producer can pass the slot drawn
      long ticket = drawn.incrementAndGet();
      // Others may have drawn far more tickets between the two lines above: what was held then
      // could keep producers from ever reaching this ticket.
      held.set(ticket - 1);
      try {
        // Of several producers one may have claimed a later slot before this one is published; the
        // barrier then returns early, and the publication is a few instructions away.
        while (barrier.waitFor(ticket) < ticket) {
          Thread.onSpinWait();
        }
      } catch (AlertException stopped) {
        return null;
      } catch (TimeoutException impossible) {
        throw new AssertionError("a blocking wait has no timeout", impossible);
      }
      Slot slot = ring.get(ticket);
      PendingRequest request = Objects.requireNonNull(slot.request);
      slot.request = null;
      held.set(Long.MAX_VALUE);
      return request;
    }
  }
}
