package io.nereid.benchmarks.load.stall;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.nereid.tools.load.arrival.ArrivalGenerator;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * Observes what holds the load generator back: its garbage collector, and whatever keeps a thread
 * that sleeps for a millisecond from running afterwards, which is the machine, other processes or
 * the JVM. {@link #close} ends it.
 */
public final class PauseMonitor implements AutoCloseable {
  private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Shorter delays are those of any thread that sleeps. */
  private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final List<Pause> pauses = new ArrayList<>();
  private final NotificationListener listener = (notification, _) -> collected(notification);
  private final Thread sleeper = Thread.ofPlatform().name("pauses").daemon().unstarted(this::sleep);
  private volatile boolean closed;

  private final List<GarbageCollectorMXBean> collectors;

  private PauseMonitor(List<GarbageCollectorMXBean> collectors) {
    this.collectors = collectors;
  }

  /** A monitor that observes nothing: its thread would compete with the server. */
  public static PauseMonitor idle() {
    return new PauseMonitor(List.of());
  }

  public static PauseMonitor start() {
    var monitor = new PauseMonitor(ManagementFactory.getGarbageCollectorMXBeans());
    for (var collector : monitor.collectors) {
      ((NotificationEmitter) collector).addNotificationListener(monitor.listener, null, null);
    }
    monitor.sleeper.start();
    return monitor;
  }

  /** The pauses until now. */
  public synchronized List<Pause> pauses() {
    return List.copyOf(pauses);
  }

  @Override
  public void close() {
    closed = true;
    for (var collector : collectors) {
      try {
        ((NotificationEmitter) collector).removeNotificationListener(listener);
      } catch (ListenerNotFoundException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void sleep() {
    while (!closed) {
      long due = System.nanoTime() + SLEEP_NANOS;
      ArrivalGenerator.Clock.SYSTEM.sleepUntil(due);
      long now = System.nanoTime();
      if (now - due >= SHORTEST_NANOS) {
        add(new Pause("machine", due, now));
      }
    }
  }

  private void collected(Notification notification) {
    if (!notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      return;
    }
    var collection =
        GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
            .getGcInfo();
    long jvmStart =
        System.nanoTime()
            - TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
    add(
        new Pause(
            "collector of the generator",
            jvmStart + TimeUnit.MILLISECONDS.toNanos(collection.getStartTime()),
            jvmStart + TimeUnit.MILLISECONDS.toNanos(collection.getEndTime())));
  }

  private synchronized void add(Pause pause) {
    pauses.add(pause);
  }
}
