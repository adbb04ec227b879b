package io.nereid.engine.scheduling;

import io.nereid.engine.request.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A clock that a test advances; alarms run on the thread that advances it. */
public final class FakeClock implements Clock {
  private final List<TestAlarm> alarms = new ArrayList<>();
  private long nanos;

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized Alarm alarm(Runnable action) {
    var alarm = new TestAlarm(action);
    alarms.add(alarm);
    return alarm;
  }

  /** Advances the time and runs the alarms that become due, in order, each at its time. */
  public void advance(Duration time) {
    long end = nanos() + time.toNanos();
    for (var alarm = nextDue(end); alarm.isPresent(); alarm = nextDue(end)) {
      alarm.get().action.run();
    }
    goTo(end);
  }

  /** Unsets the next alarm due until {@code end} and sets the clock to its time. */
  private synchronized Optional<TestAlarm> nextDue(long end) {
    Optional<TestAlarm> next =
        alarms.stream()
            .filter(alarm -> alarm.due <= end)
            .min(Comparator.comparingLong(alarm -> alarm.due));
    next.ifPresent(alarm -> {
      goTo(alarm.due);
      alarm.due = Ticket.NEVER;
    });
    return next;
  }

  private synchronized void goTo(long time) {
    nanos = Math.max(nanos, time);
  }

  private final class TestAlarm implements Alarm {
    private final Runnable action;
    private long due = Ticket.NEVER;

    TestAlarm(Runnable action) {
      this.action = action;
    }

    @Override
    public void set(long newDue) {
      synchronized (FakeClock.this) {
        due = newDue;
      }
    }

    @Override
    public void close() {
      synchronized (FakeClock.this) {
        alarms.remove(this);
      }
    }
  }
}
