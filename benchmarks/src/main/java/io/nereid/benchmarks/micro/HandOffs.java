package io.nereid.benchmarks.micro;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import io.nereid.config.BatchingSettings;
import io.nereid.policy.BatchingRule;
import io.nereid.policy.DispatchReason;
import io.nereid.policy.DynamicBatchingPolicy;
import io.nereid.policy.Refusal;
import io.nereid.policy.Steps;
import io.nereid.policy.Ticket;
import io.nereid.request.RequestOptions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ways of a request from the thread that brings it to the one instance that runs it. Ring, policy
 * and instance are the same; they differ in who decides.
 */
final class HandOffs {
  private static final int CAPACITY = 1_024;
  private static final int MAX_BATCH_SIZE = 16;

  private HandOffs() {}

  /** A way for requests to go. */
  interface HandOff {
    /** Has the request run. */
    void submit(Waiting request);

    void stop() throws InterruptedException;
  }

  /** A request whose sender waits. */
  static final class Waiting extends Ticket {
    private final Thread sender = Thread.currentThread();
    private volatile boolean done;

    Waiting() {
      super(1, 0, NEVER, RequestOptions.NONE);
    }

    @Override
    public String id() {
      return "";
    }

    void await() {
      while (!done) {
        LockSupport.park(this);
      }
    }

    private void answer() {
      done = true;
      LockSupport.unpark(sender);
    }
  }

  /**
   * As the server does it: whoever brings an event and finds nobody deciding decides, and the batch
   * is formed when the instance has come.
   */
  static final class WhoeverBrings implements HandOff {
    private final Decisions decisions = new Decisions(false);
    private final AtomicInteger brought = new AtomicInteger();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private volatile boolean stopped;

    @Override
    public void submit(Waiting request) {
      bring(request, false);
    }

    private void bring(@Nullable Waiting request, boolean executed) {
      decisions.bring(request, executed);
      if (brought.getAndIncrement() != 0) {
        return;
      }
      int seen = 1;
      do {
        decisions.decide();
        if (decisions.called) {
          LockSupport.unpark(instance);
        }
        seen = brought.addAndGet(-seen);
      } while (seen != 0);
    }

    private void run() {
      while (!stopped) {
        if (decisions.size > 0) {
          decisions.execute();
          bring(null, true);
        } else if (decisions.called) {
          decisions.called = false;
          bring(null, false);
        } else {
          LockSupport.park(this);
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      stopped = true;
      LockSupport.unpark(instance);
      instance.join();
    }
  }

  /** A thread that does nothing but decide, between the senders and the instance. */
  static final class BatcherThread implements HandOff {
    private final Decisions decisions = new Decisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);
    private final Thread batcher = Thread.ofPlatform().start(this::batch);
    private volatile boolean stopped;

    @Override
    public void submit(Waiting request) {
      decisions.bring(request, false);
    }

    private void batch() {
      while (decisions.await(barrier)) {
        decisions.decide();
        if (decisions.size > 0) {
          LockSupport.unpark(instance);
        }
      }
    }

    private void run() {
      while (!stopped) {
        if (decisions.size > 0) {
          decisions.execute();
          decisions.bring(null, true);
        } else {
          LockSupport.park(this);
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      barrier.alert();
      batcher.join();
      stopped = true;
      LockSupport.unpark(instance);
      instance.join();
    }
  }

  /** The idle instance reads the ring and decides for itself. */
  static final class InstanceLeads implements HandOff {
    private final Decisions decisions = new Decisions(true);
    private final SequenceBarrier barrier = decisions.ring.newBarrier();
    private final Thread instance = Thread.ofPlatform().start(this::run);

    @Override
    public void submit(Waiting request) {
      decisions.bring(request, false);
    }

    private void run() {
      while (decisions.await(barrier)) {
        decisions.decide();
        while (decisions.size > 0) {
          decisions.execute();
          decisions.executed();
          decisions.decide();
        }
      }
    }

    @Override
    public void stop() throws InterruptedException {
      barrier.alert();
      instance.join();
    }
  }

  /** A slot of the ring: a request that has come, or, if empty, the word that a batch has run. */
  private static final class Event {
    @Nullable Waiting request;

    /** Of an event without a request: whether a batch was executed; or the instance has come. */
    boolean executed;
  }

  /** The ring, and the policy behind it, which one thread at a time asks. */
  private static final class Decisions implements Steps {
    private final RingBuffer<Event> ring =
        RingBuffer.createMultiProducer(Event::new, CAPACITY, new BlockingWaitStrategy());
    private final EventPoller<Event> poller = ring.newPoller();
    private final DynamicBatchingPolicy policy =
        new DynamicBatchingPolicy(
            BatchingSettings.of(List.of(MAX_BATCH_SIZE), 0),
            MAX_BATCH_SIZE,
            CAPACITY,
            BatchingRule.ALL);
    private final Ticket[] batch = new Ticket[MAX_BATCH_SIZE];

    /** Requests in {@link #batch} that the instance has not taken yet. */
    private volatile int size;

    /** Whether the instance has been called, and has not come yet. */
    private volatile boolean called;

    private final boolean comesAtOnce;

    Decisions(boolean comesAtOnce) {
      this.comesAtOnce = comesAtOnce;
      ring.addGatingSequences(poller.getSequence());
      policy.instanceAdded(0, 0, 0, this);
    }

    void bring(@Nullable Waiting request, boolean executed) {
      long sequence = ring.next();
      ring.get(sequence).request = request;
      ring.get(sequence).executed = executed;
      ring.publish(sequence);
    }

    /** Waits for the next event; false after an alert. */
    boolean await(SequenceBarrier barrier) {
      try {
        barrier.waitFor(poller.getSequence().get() + 1);
        return true;
      } catch (AlertException | InterruptedException stopped) {
        return false;
      } catch (TimeoutException impossible) {
        throw new AssertionError("a blocking wait has no timeout", impossible);
      }
    }

    void decide() {
      try {
        while (poller.poll(this::take) == EventPoller.PollState.PROCESSING) {
          Thread.onSpinWait();
        }
      } catch (Exception impossible) {
        throw new IllegalStateException("nothing checked is thrown", impossible);
      }
      policy.decide(0, this);
      if (called && comesAtOnce) {
        called = false;
        policy.ready(0, 0, this);
        policy.decide(0, this);
      }
    }

    private boolean take(Event event, long sequence, boolean endOfBatch) {
      if (event.request != null) {
        policy.arrived(event.request, 0, this);
      } else if (event.executed) {
        executed();
      } else {
        policy.ready(0, 0, this);
      }
      return true;
    }

    void executed() {
      policy.executed(0, 0, 0, this);
      policy.ready(0, 0, this);
    }

    @Override
    public void call(int instance) {
      called = true;
    }

    @Override
    public void rest(int instance) {}

    @Override
    public void dispatch(
        int instance, @Nullable Ticket[] tickets, int count, DispatchReason reason) {
      for (int i = 0; i < count; i++) {
        batch[i] = Objects.requireNonNull(tickets[i]);
      }
      size = count;
    }

    @Override
    public void refuse(Ticket ticket, Refusal refusal) {
      throw new AssertionError(refusal);
    }

    /** Answers the requests of the batch; by the instance's thread. */
    void execute() {
      int count = size;
      size = 0;
      for (int i = 0; i < count; i++) {
        ((Waiting) batch[i]).answer();
      }
    }
  }
}
