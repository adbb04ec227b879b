package io.nereid.server.http.connection;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Helidon's listener, which is started anew if it ends by itself: it gives up for good, with its
 * connections, when a connection cannot be accepted for want of files or memory. One thread starts
 * and stops it; the monitor calls {@link #restartIfEnded}.
 */
final class Acceptor {
  private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());

  /** The time between two starts: the want of files or memory may last. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final IntFunction<WebServerConfig> settings;
  private final Runnable onEnd;
  private @Nullable WebServer server;
  private boolean stopped;

  /** When the listener may be started anew. */
  private long dueNanos = System.nanoTime();

  /** The last socket that Helidon opened, which only its settings see; not bound yet then. */
  private @Nullable ServerSocketChannel opened;

  /** The socket that listens. */
  private volatile @Nullable ServerSocketChannel socket;

  private volatile int port = -1;

  /**
   * @param settings by the port
   * @param onEnd run once the listener has ended by itself, before it is started anew
   */
  Acceptor(IntFunction<WebServerConfig> settings, Runnable onEnd) {
    this.settings = settings;
    this.onEnd = onEnd;
  }

  /**
   * Starts to listen; returns false if that has failed, of which Helidon has logged why.
   *
   * @param wanted 0 for any port that is free
   */
  synchronized boolean start(int wanted) {
    WebServerConfig config = settings.apply(wanted);
    var watched =
        (WebServerConfig)
            Proxy.newProxyInstance(
                WebServerConfig.class.getClassLoader(),
                new Class<?>[] {WebServerConfig.class},
                (_, method, arguments) -> call(config, method, arguments));
    WebServer started = WebServer.create(watched);
    started.start();
    server = started;
    if (started.isRunning()) {
      port = started.port();
      socket = opened;
    }
    return started.isRunning();
  }

  private @Nullable Object call(
      WebServerConfig config, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    if (arguments != null
        && arguments.length == 1
        && arguments[0] instanceof ServerSocketChannel channel) {
      opened = channel;
    }
    try {
      return method.invoke(config, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }

  /** Whether connections are accepted. */
  boolean isListening() {
    ServerSocketChannel channel = socket;
    return channel != null && channel.isOpen();
  }

  /** The bound port; -1 before the start. */
  int port() {
    return port;
  }

  /** The socket that listens, which Helidon closes when it gives up; null before the start. */
  @Nullable ServerSocketChannel socket() {
    return socket;
  }

  /** Starts to listen anew, if the listener has ended by itself. */
  synchronized void restartIfEnded() {
    if (stopped || server == null || isListening() || System.nanoTime() - dueNanos < 0) {
      return;
    }
    dueNanos = System.nanoTime() + RETRY.toNanos();
    LOG.log(Level.ERROR, "the listener at port {0} has ended; it is started anew", port + "");
    server.stop();
    onEnd.run();
    if (!start(port)) {
      throw new IllegalStateException("the listener at port %d could not start".formatted(port));
    }
  }

  /** Stops to listen, and ends the threads of connections. */
  void stop() {
    WebServer last;
    synchronized (this) {
      stopped = true;
      last = server;
    }
    if (last != null) {
      last.stop();
    }
  }
}
