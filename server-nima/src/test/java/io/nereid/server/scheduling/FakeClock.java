package io.nereid.server.scheduling;

import io.nereid.server.request.Ticket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A clock that goes when told to; alarms go off on the thread that tells it. */
public final class FakeClock implements Clock {
  private final List<SetAlarm> alarms = new ArrayList<>();
  private long nanos;

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized Alarm alarm(Runnable action) {
    var alarm = new SetAlarm(action);
    alarms.add(alarm);
    return alarm;
  }

  /** Lets time pass; whatever is due on the way goes off at its time, in order. */
  public void advance(Duration time) {
    long end = nanos() + time.toNanos();
    for (var alarm = nextDue(end); alarm.isPresent(); alarm = nextDue(end)) {
      alarm.get().action.run();
    }
    goTo(end);
  }

  /** The next alarm that goes off until {@code end}, no longer set, with the clock at its time. */
  private synchronized Optional<SetAlarm> nextDue(long end) {
    Optional<SetAlarm> next =
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

  private final class SetAlarm implements Alarm {
    private final Runnable action;
    private long due = Ticket.NEVER;

    SetAlarm(Runnable action) {
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
