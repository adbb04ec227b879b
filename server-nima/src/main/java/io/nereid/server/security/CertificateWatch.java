package io.nereid.server.security;

import io.nereid.engine.thread.IntervalRunner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The thread that has the files of TLS read again, every few seconds. Contents are compared, so a
 * file may be rewritten, renamed over, or reached through a symbolic link that is replaced, as in a
 * volume of Kubernetes.
 */
public final class CertificateWatch implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(CertificateWatch.class.getName());

  private final List<ServerTls> watched;
  private final Optional<IntervalRunner> thread;

  /** Starts to watch; without a thread if there is nothing to watch. */
  public static CertificateWatch start(List<ServerTls> watched, Duration interval) {
    return new CertificateWatch(watched, interval);
  }

  private CertificateWatch(List<ServerTls> watched, Duration interval) {
    this.watched = List.copyOf(watched);
    this.thread =
        watched.isEmpty()
            ? Optional.empty()
            : Optional.of(IntervalRunner.start("certificate watch", interval, this::reload));
  }

  /** Has all files read again now. */
  public void reload() {
    for (ServerTls tls : watched) {
      try {
        tls.reload();
      } catch (RuntimeException bug) { // of one listener; the present certificates stay
        LOG.log(System.Logger.Level.ERROR, "certificates could not be read again", bug);
      }
    }
  }

  /** Stops watching. */
  @Override
  public void close() {
    thread.ifPresent(IntervalRunner::end);
  }
}
