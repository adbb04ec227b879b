package io.nereid.benchmarks.micro;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import io.nereid.benchmarks.micro.HandOffs.Waiting;
import io.nereid.config.BatchingSettings;
import io.nereid.server.request.Ticket;
import io.nereid.server.scheduling.policy.BatchingRule;
import io.nereid.server.scheduling.policy.DispatchReason;
import io.nereid.server.scheduling.policy.DynamicBatchingPolicy;
import io.nereid.server.scheduling.policy.Rejection;
import io.nereid.server.scheduling.policy.SchedulingActions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The ring of {@link HandOffs}, and the policy behind it, which one thread at a time asks. */
final class HandOffDecisions implements SchedulingActions {
  private static final int CAPACITY = 1_024;
  private static final int MAX_BATCH_SIZE = 16;

  /** A slot of the ring: a request that has come, or, if empty, the word that a batch has run. */
  static final class Event {
    @Nullable Waiting request;

    /** Of an event without a request: whether a batch was executed; or the instance has come. */
    boolean executed;
  }

  final RingBuffer<Event> ring =
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
  volatile int size;

  /** Whether the instance has been called, and has not come yet. */
  volatile boolean called;

  private final boolean comesAtOnce;

  HandOffDecisions(boolean comesAtOnce) {
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
  public void wake(int instance) {
    called = true;
  }

  @Override
  public void idle(int instance) {}

  @Override
  public void dispatch(int instance, @Nullable Ticket[] tickets, int count, DispatchReason reason) {
    for (int i = 0; i < count; i++) {
      batch[i] = Objects.requireNonNull(tickets[i]);
    }
    size = count;
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    throw new AssertionError(rejection);
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
