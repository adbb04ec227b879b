package io.nereid.engine.scheduling;

import io.nereid.engine.request.Ticket;
import io.nereid.engine.thread.ThreadGuard;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The system's monotonic clock, with one thread for all alarms, which parks until the nearest one.
 * Setting an alarm takes no lock, and unparks the thread only if the alarm is nearer.
 */
public final class SystemClock implements Clock, AutoCloseable {
  private final long origin = System.nanoTime();
  private final List<ClockAlarm> alarms = new CopyOnWriteArrayList<>();
  private final ThreadGuard guard = new ThreadGuard("clock");
  private final Thread thread = Thread.ofPlatform().daemon().name("clock").unstarted(this::run);
  private volatile long parkedUntil = Ticket.NEVER;
  private volatile boolean closed;

  public static SystemClock start() {
    var clock = new SystemClock();
    clock.thread.start();
    return clock;
  }

  private SystemClock() {}

  @Override
  public long nanos() {
    return System.nanoTime() - origin;
  }

  @Override
  public Alarm alarm(Runnable action) {
    var alarm = new ClockAlarm(action);
    alarms.add(alarm);
    return alarm;
  }

  private void run() {
    while (!closed) {
      guard.run(this::runDueAndPark);
    }
  }

  private void runDueAndPark() {
    long now = nanos();
    for (ClockAlarm alarm : alarms) {
      alarm.runIfDue(now);
    }
    long next = nearest();
    parkedUntil = next;
    if (next == nearest() && !closed) { // an alarm set after this read sees parkedUntil
      parkUntil(next);
    }
    parkedUntil = Ticket.NEVER;
  }

  /** Whether alarms are run. */
  public boolean isWorking() {
    return guard.isWorking();
  }

  private long nearest() {
    long nearest = Ticket.NEVER;
    for (ClockAlarm alarm : alarms) {
      nearest = Math.min(nearest, alarm.due.get());
    }
    return nearest;
  }

  private void parkUntil(long next) {
    if (next == Ticket.NEVER) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, next - nanos()); // returns at once if not positive
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  private final class ClockAlarm implements Alarm {
    final AtomicLong due = new AtomicLong(Ticket.NEVER);
    private final Runnable action;

    ClockAlarm(Runnable action) {
      this.action = action;
    }

    @Override
    public void set(long nanos) {
      if (due.get() != nanos) {
        due.set(nanos);
        if (nanos < parkedUntil) {
          LockSupport.unpark(thread);
        }
      }
    }

    void runIfDue(long now) {
      long set = due.get();
      if (set <= now && due.compareAndSet(set, Ticket.NEVER)) {
        guard.run(action); // the other alarms must still run
      }
    }

    @Override
    public void close() {
      alarms.remove(this);
    }
  }
}
