package io.nereid.server;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** What SIGTERM and SIGINT do: drain, and exit 0; or exit 1 once the exit timeout has passed. */
final class Shutdown {
  private static final System.Logger LOG = System.getLogger(Shutdown.class.getName());

  /** For closing models and memory after the last request. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private final InferenceServer server;
  private final int exitTimeoutSeconds;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("shutdown").unstarted(this::drain);

  private Shutdown(InferenceServer server, int exitTimeoutSeconds) {
    this.server = server;
    this.exitTimeoutSeconds = exitTimeoutSeconds;
  }

  /** Has {@code server} closed when the process is told to end. */
  static Shutdown onSignal(InferenceServer server, int exitTimeoutSeconds) {
    var shutdown = new Shutdown(server, exitTimeoutSeconds);
    Runtime.getRuntime().addShutdownHook(shutdown.hook);
    return shutdown;
  }

  /** Takes it back, for a process that ends for another reason and with another status. */
  void cancel() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException underWay) {
      LOG.log(Level.DEBUG, "already stopping", underWay);
    }
  }

  /** Waits until the server is closed. */
  void await() throws InterruptedException {
    stopped.await();
  }

  private void drain() {
    LOG.log(Level.INFO, "stopping: no new requests, {0} s for those under way", exitTimeoutSeconds);
    Thread closer = Thread.ofPlatform().name("closer").start(server::close);
    try {
      if (!closer.join(Duration.ofSeconds(exitTimeoutSeconds).plus(MARGIN))) {
        LOG.log(Level.ERROR, "Exit timeout expired. Exiting immediately.");
        Runtime.getRuntime().halt(1);
      }
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    stopped.countDown();
    LOG.log(Level.INFO, "stopped");
    System.out.flush();
    // A JVM that ends by a signal would report it (143); an orderly stop is a success.
    Runtime.getRuntime().halt(server.isClosedInTime() ? 0 : 1);
  }
}
