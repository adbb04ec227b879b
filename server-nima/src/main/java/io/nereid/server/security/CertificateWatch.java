package io.nereid.server.security;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The thread that has the files of TLS read again, every few seconds. Contents are compared, so a
 * file may be rewritten, renamed over, or reached through a symbolic link that is replaced, as in a
 * volume of Kubernetes.
 */
public final class CertificateWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(CertificateWatch.class.getName());

  private final List<ServerTls> watched;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("certificate watch").factory());

  /** Starts to watch; without a thread if there is nothing to watch. */
  public static CertificateWatch start(List<ServerTls> watched, Duration interval) {
    var watch = new CertificateWatch(watched);
    if (!watched.isEmpty()) {
      long nanos = interval.toNanos();
      var _ =
          watch.thread.scheduleWithFixedDelay(watch::reload, nanos, nanos, TimeUnit.NANOSECONDS);
    }
    return watch;
  }

  private CertificateWatch(List<ServerTls> watched) {
    this.watched = List.copyOf(watched);
  }

  /** Has all files read again now. */
  public void reload() {
    for (ServerTls tls : watched) {
      try {
        tls.reload();
      } catch (RuntimeException bug) { // would end the schedule; the present certificates stay
        LOG.log(System.Logger.Level.ERROR, "certificates could not be read again", bug);
      }
    }
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
