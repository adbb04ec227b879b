package io.nereid.server.scheduling;

import io.nereid.server.request.Ticket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine's clock, with one thread for all alarms. It sleeps until the nearest one; setting an
 * alarm takes no lock, and wakes the thread only if it would sleep too long.
 */
public final class SystemClock implements Clock, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SystemClock.class.getName());

  private final long origin = System.nanoTime();
  private final List<SetAlarm> alarms = new CopyOnWriteArrayList<>();
  private final Thread thread = Thread.ofPlatform().daemon().name("clock").unstarted(this::run);
  private volatile long sleepsUntil = Ticket.NEVER;
  private volatile boolean closed;

  /** A clock that goes. */
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
    var alarm = new SetAlarm(action);
    alarms.add(alarm);
    return alarm;
  }

  private void run() {
    while (!closed) {
      long now = nanos();
      for (SetAlarm alarm : alarms) {
        alarm.goOffIfDue(now);
      }
      long next = nearest();
      sleepsUntil = next;
      if (next == nearest() && !closed) { // what is set from here on sees until when we sleep
        sleepUntil(next);
      }
      sleepsUntil = Ticket.NEVER;
    }
  }

  private long nearest() {
    long nearest = Ticket.NEVER;
    for (SetAlarm alarm : alarms) {
      nearest = Math.min(nearest, alarm.due.get());
    }
    return nearest;
  }

  private void sleepUntil(long next) {
    if (next == Ticket.NEVER) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, next - nanos()); // returns at once if that is over
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** An alarm, and when it goes off. */
  private final class SetAlarm implements Alarm {
    final AtomicLong due = new AtomicLong(Ticket.NEVER);
    private final Runnable action;

    SetAlarm(Runnable action) {
      this.action = action;
    }

    @Override
    public void set(long nanos) {
      if (due.get() != nanos) {
        due.set(nanos);
        if (nanos < sleepsUntil) {
          LockSupport.unpark(thread);
        }
      }
    }

    void goOffIfDue(long now) {
      long set = due.get();
      if (set <= now && due.compareAndSet(set, Ticket.NEVER)) {
        try {
          action.run();
        } catch (Throwable bug) { // the other alarms go on
          LOG.log(System.Logger.Level.ERROR, "an alarm failed", bug);
        }
      }
    }

    @Override
    public void close() {
      alarms.remove(this);
    }
  }
}
