package io.nereid.server;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** What SIGTERM and SIGINT do: drain, and exit 0; or exit 1 once the exit timeout has passed. */
final class Shutdown {
  private static final System.Logger LOG = System.getLogger(Shutdown.class.getName());

  /** For closing models and memory after the last request. */
  private static final Duration MARGIN = Duration.ofSeconds(5);

  private Shutdown() {}

  /**
   * Has {@code server} closed when the process is told to end.
   *
   * @param stopped counted down once it is closed
   */
  static void onSignal(InferenceServer server, int exitTimeoutSeconds, CountDownLatch stopped) {
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("shutdown")
                .unstarted(() -> drain(server, exitTimeoutSeconds, stopped)));
  }

  private static void drain(
      InferenceServer server, int exitTimeoutSeconds, CountDownLatch stopped) {
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
    Runtime.getRuntime().halt(0);
  }
}
