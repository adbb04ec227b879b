package io.nereid.engine.scheduling.policy.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.config.BatchingSettings;
import io.nereid.engine.request.Ticket;
import io.nereid.engine.scheduling.policy.BatchingRule;
import io.nereid.engine.scheduling.policy.DispatchReason;
import io.nereid.engine.scheduling.policy.NamedTicket;
import io.nereid.engine.scheduling.policy.PredictedWait;
import io.nereid.engine.scheduling.policy.QueueLimits;
import io.nereid.engine.scheduling.policy.Rejection;
import io.nereid.engine.scheduling.policy.SchedulingActions;
import io.nereid.request.RequestOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How many requests of a model on one instance end before their deadlines when more arrive than it
 * can execute. Requests arrive at random times; executions vary by a tenth, and end when the
 * deadlines of all their requests have passed. Time is virtual.
 */
class GoodputTest {
  private static final int MAX_BATCH_SIZE = 16;
  private static final long SECONDS = 20;
  private static final long MICROS_PER_SECOND = 1_000_000;

  /** The requests of a run, and the instance that executes them. */
  private static final class Run implements SchedulingActions {
    private final DynamicBatchingPolicy policy =
        new DynamicBatchingPolicy(
            BatchingSettings.of(List.of(MAX_BATCH_SIZE), 0),
            MAX_BATCH_SIZE,
            /* costs= */ null,
            QueueLimits.of(10_000),
            BatchingRule.ALL);
    private final Random random = new Random(7);
    private final LongUnaryOperator executionMicros;
    private final long deadlineMicros;
    private final List<Ticket> running = new ArrayList<>();
    private long end = Ticket.NEVER;
    private boolean cutShort;
    private boolean woken;
    private long micros;
    private long alarm = Ticket.NEVER;
    private int inTime;

    Run(LongUnaryOperator executionMicros, long deadlineMicros) {
      this.executionMicros = executionMicros;
      this.deadlineMicros = deadlineMicros;
      policy.instanceAdded(0, 0, 0, this);
    }

    /** Sends requests at random times; returns how many a second were answered in time. */
    double goodput(double perSecond) {
      inTime = 0;
      long begin = micros;
      long last = begin + SECONDS * MICROS_PER_SECOND;
      for (long next = micros; next < last; ) {
        next += Math.max(1, (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e6));
        elapse(next);
        var ticket =
            new NamedTicket(
                "r",
                1,
                micros * 1_000,
                (micros + deadlineMicros) * 1_000,
                "key",
                RequestOptions.NONE);
        policy.arrived(ticket, micros * 1_000, this);
        decide();
      }
      elapse(last + SECONDS * MICROS_PER_SECOND);
      return inTime / (double) SECONDS;
    }

    private void elapse(long until) {
      while (Math.min(end, alarm) <= until) {
        micros = Math.max(micros, Math.min(end, alarm));
        if (end <= micros) {
          executed();
        }
        decide();
      }
      micros = until;
    }

    private void executed() {
      if (cutShort) {
        policy.cutShort(0, micros * 1_000, this);
      } else {
        running.forEach(ticket -> inTime += ticket.deadlineNanos() >= micros * 1_000 ? 1 : 0);
      }
      running.clear();
      end = Ticket.NEVER;
      policy.executed(0, micros * 1_000, micros * 1_000, this);
      policy.ready(0, micros * 1_000, this);
    }

    private void decide() {
      long wake = policy.decide(micros * 1_000, this);
      if (woken) {
        woken = false;
        policy.ready(0, micros * 1_000, this);
        wake = policy.decide(micros * 1_000, this);
      }
      alarm = wake == Ticket.NEVER ? wake : (wake + 999) / 1_000;
    }

    @Override
    public void wake(int instance) {
      woken = true;
    }

    @Override
    public void idle(int instance) {}

    @Override
    public void dispatch(int instance, @Nullable Ticket[] batch, int size, DispatchReason reason) {
      for (int i = 0; i < size; i++) {
        Ticket ticket = batch[i];
        if (ticket != null) {
          running.add(ticket);
        }
      }
      double varied = executionMicros.applyAsLong(size) * (0.9 + 0.2 * random.nextDouble());
      long latest = Collections.max(running.stream().map(Ticket::deadlineNanos).toList()) / 1_000;
      cutShort = micros + (long) varied > latest;
      end = Math.max(micros + 1, cutShort ? latest : micros + (long) varied);
    }

    @Override
    public void reject(Ticket ticket, Rejection rejection) {}

    @Override
    public void refuse(Ticket ticket, PredictedWait wait) {}

    @Override
    public void ended(Object sequence) {}

    @Override
    public void restarted(Ticket ticket) {}
  }

  /** The deadline is ten times the execution of one row; batches gain nothing, some or all. */
  @ParameterizedTest
  @CsvSource({"0, 7000", "3500, 3500", "6500, 500", "7000, 0"})
  void answersInTimeAboveItsCapacityWhatItCan(long baseMicros, long rowMicros) {
    LongUnaryOperator execution = rows -> baseMicros + rows * rowMicros;
    var run = new Run(execution, 10 * execution.applyAsLong(1));
    double capacity = 1e6 * MAX_BATCH_SIZE / execution.applyAsLong(MAX_BATCH_SIZE);
    var found = new ArrayList<Double>();
    for (double factor : List.of(0.5, 1.0, 2.0, 3.0, 10.0)) {
      found.add(run.goodput(factor * capacity));
    }

    double most = Collections.max(found);
    assertThat(found.getFirst()).as("below the capacity").isGreaterThan(0.47 * capacity);
    assertThat(most).isGreaterThan(0.8 * capacity);
    assertThat(found.get(3)).as("three times the capacity: %s", found).isGreaterThan(0.95 * most);
    assertThat(found.get(4)).as("ten times the capacity: %s", found).isGreaterThan(0.9 * most);
  }
}
