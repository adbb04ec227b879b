package io.nereid.server;

import io.nereid.server.process.Signals;
import java.io.Console;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The orderly end of the process: SIGTERM and SIGINT close the server, and the process exits with
 * 0, or with 1 once the exit timeout has expired. A second signal ends the process at once, with
 * the status of a process that the signal killed. SIGHUP stops a server whose terminal closes, and
 * has no effect on others. The log lines that name the signal and the expired timeout are Triton's,
 * since supervisors match on them.
 */
final class Shutdown {
  private static final System.Logger LOG = System.getLogger(Shutdown.class.getName());

  /** Whether a signal has come: of the process, as signals are. */
  private static final AtomicBoolean SIGNALLED = new AtomicBoolean();

  private final NereidServer server;
  private final ExitTimes times;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("shutdown").unstarted(this::drain);

  private Shutdown(NereidServer server, ExitTimes times) {
    this.server = server;
    this.times = times;
  }

  /** Closes {@code server} when the process is told to end. */
  static Shutdown onSignal(NereidServer server, Duration exitTimeout) {
    var shutdown = new Shutdown(server, new ExitTimes(exitTimeout));
    Runtime.getRuntime().addShutdownHook(shutdown.hook);
    Signals.handle("HUP", 1, Shutdown::hangUp);
    Signals.handle("USR1", 10, () -> ignored(10)); // which would end the process
    Signals.handle("INT", 2, () -> exit(2));
    Signals.handle("TERM", 15, () -> exit(15));
    return shutdown;
  }

  /** Logs the signal and exits, which runs the hook; at the second signal without the hook. */
  private static void exit(int signal) {
    LOG.log(Level.INFO, "Signal ({0}) received.", signal);
    if (SIGNALLED.compareAndSet(false, true)) {
      System.exit(128 + signal); // an orderly stop replaces this status
    }
    LOG.log(Level.WARNING, "Second signal: exiting immediately.");
    Runtime.getRuntime().halt(128 + signal);
  }

  /** Exits with the terminal; a server without one gets the signal by a habit of log rotation. */
  @SuppressWarnings("SystemConsoleNull") // of JDK 25 it is null again, where there is no terminal
  private static void hangUp() {
    Console console = System.console();
    if (console != null && console.isTerminal()) {
      exit(1);
    } else {
      ignored(1);
    }
  }

  private static void ignored(int signal) {
    LOG.log(
        Level.INFO,
        "Signal ({0}) received. It has no effect: a log file that was renamed is opened again"
            + " without it.",
        signal);
  }

  /** Removes the hook, for a process that ends for another reason and with another status. */
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
    LOG.log(Level.INFO, "Waiting for in-flight requests to complete.");
    Thread closer = Thread.ofPlatform().name("closer").start(server::close);
    try {
      if (!closer.join(times.process())) {
        exitExpired();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    stopped.countDown();
    System.out.flush();
    if (!server.isClosedInTime()) {
      exitExpired();
    }
    LOG.log(Level.INFO, "stopped");
    // A JVM that ends by a signal would report it (143); an orderly stop is a success.
    Runtime.getRuntime().halt(0);
  }

  private static void exitExpired() {
    LOG.log(Level.ERROR, "Exit timeout expired. Exiting immediately.");
    Runtime.getRuntime().halt(1);
  }
}
