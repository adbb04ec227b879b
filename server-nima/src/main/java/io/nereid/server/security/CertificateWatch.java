package io.nereid.server.security;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The thread that reads the files of TLS again, every few seconds. It compares contents, so a file
 * may be rewritten, renamed over, or reached through a symbolic link that is replaced, as in a
 * volume of Kubernetes.
 */
public final class CertificateWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(CertificateWatch.class.getName());

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("certificate watch").factory());

  /** Starts to watch; without a thread if there is nothing to watch. */
  public static CertificateWatch start(List<ServerTls> watched, Duration interval) {
    var watch = new CertificateWatch();
    for (ServerTls tls : watched) {
      var _ =
          watch.thread.scheduleWithFixedDelay(
              () -> reload(tls), interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }
    return watch;
  }

  private static void reload(ServerTls tls) {
    try {
      tls.reload();
    } catch (RuntimeException bug) { // would end the schedule; the present certificates stay
      LOG.log(System.Logger.Level.ERROR, "certificates could not be read again", bug);
    }
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
