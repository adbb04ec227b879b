package io.nereid.benchmarks.micro;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import io.nereid.benchmarks.micro.HandOffBenchmark.WaitingRequest;
import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.DynamicBatchingPolicy;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The ring and the policy of a {@link HandOffBenchmark} variant. One thread at a time decides. */
final class HandOffDecisions implements SchedulingActions {
  private static final int CAPACITY = 1_024;
  private static final int MAX_BATCH_SIZE = 16;

  /** A slot of the ring: a request, or an event of the instance. */
  static final class Event {
    @Nullable WaitingRequest request;

    /** Without a request: whether the instance has executed a batch, or else is ready. */
    boolean executed;
  }

  final RingBuffer<Event> ring =
      RingBuffer.createMultiProducer(Event::new, CAPACITY, new BlockingWaitStrategy());
  private final EventPoller<Event> poller = ring.newPoller();
  private final DynamicBatchingPolicy policy =
      new DynamicBatchingPolicy(
          BatchingSettings.of(List.of(MAX_BATCH_SIZE), 0),
          MAX_BATCH_SIZE,
          QueueLimits.of(CAPACITY),
          BatchingRule.ALL);
  private final Ticket[] batch = new Ticket[MAX_BATCH_SIZE];

  /** The number of requests in {@link #batch} for the instance to execute. */
  volatile int size;

  /** Whether the instance has been woken and is not ready yet. */
  volatile boolean woken;

  private final boolean readyAtOnce;

  HandOffDecisions(boolean readyAtOnce) {
    this.readyAtOnce = readyAtOnce;
    ring.addGatingSequences(poller.getSequence());
    policy.instanceAdded(0, 0, 0, this);
  }

  void publish(@Nullable WaitingRequest request, boolean executed) {
    long sequence = ring.next();
    ring.get(sequence).request = request;
    ring.get(sequence).executed = executed;
    ring.publish(sequence);
  }

  /** Waits for the next event. Returns false after an alert. */
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
    if (woken && readyAtOnce) {
      woken = false;
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
    woken = true;
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
  public void refuse(Ticket ticket, PredictedWait wait) {
    throw new IllegalStateException("refused");
  }

  @Override
  public void reject(Ticket ticket, Rejection rejection) {
    throw new AssertionError(rejection);
  }

  /** Responds to the requests of the batch. Called by the instance's thread. */
  void execute() {
    int count = size;
    size = 0;
    for (int i = 0; i < count; i++) {
      ((WaitingRequest) batch[i]).respond();
    }
  }
}
