package io.nereid.server.warmup;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends requests to the server before it is ready and, while no client does, for some time after,
 * so that the JVM has compiled their way when clients come. They go over sockets, through front
 * ends of their own on free ports of the loopback address, to models of their own: so none of them
 * is counted, logged or traced, and no model of the operator executes one; those have {@code
 * model_warmup}. A warm-up that fails is one line in the log, and the server serves.
 */
public final class ServerWarmup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerWarmup.class.getName());

  /** How long a server that had requests is left alone, before it is asked again whether it has. */
  private static final long PAUSE_MILLIS = 100;

  /** New connections are warmed up too, but each leaves one in the state TIME_WAIT. */
  private static final int ROUNDS_PER_CONNECTION = 4;

  private final Duration limit;
  private final Duration limitAfterReady;
  private final boolean http;
  private final boolean grpc;
  private final BooleanSupplier wasIdle;

  /** Zero once {@link #await} returns. */
  private final CountDownLatch ended = new CountDownLatch(1);

  private final CountDownLatch ready = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param limit how long requests are sent before the server is ready; zero for no warm-up at all
   * @param limitAfterReady how long it goes on when the server is ready
   * @param http whether the server is to serve HTTP
   * @param grpc whether it is to serve gRPC
   * @param wasIdle whether the server had no request since it was asked last
   */
  public ServerWarmup(
      Duration limit,
      Duration limitAfterReady,
      boolean http,
      boolean grpc,
      BooleanSupplier wasIdle) {
    this.limit = limit;
    this.limitAfterReady = limitAfterReady;
    this.http = http;
    this.grpc = grpc;
    this.wasIdle = wasIdle;
  }

  /** Starts to send requests, and returns at once. Called once at most. */
  public void begin() {
    if (limit.isZero() || !(http || grpc)) {
      ended.countDown();
    } else {
      Thread.ofPlatform().daemon().name("server warm-up").start(this::run);
    }
  }

  /** Waits until the server may become ready; after {@link #begin}. */
  public void await() {
    try {
      ended.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the warm-up go on: the server is ready. */
  public void ready() {
    ready.countDown();
  }

  /** Ends the warm-up early. */
  @Override
  public void close() {
    closed.countDown();
    ready.countDown();
  }

  private void run() {
    long begin = System.nanoTime();
    try (var server = WarmupServer.start(http, grpc)) {
      log("warm-up", warmUp(server, begin), begin);
      ended.countDown();
      ready.await();
      begin = System.nanoTime();
      if (!limitAfterReady.isZero()) {
        log("warm-up after the start", goOn(server, begin), begin);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (Throwable failed) { // also an Error: the server serves without
      LOG.log(Level.WARNING, "the server could not warm up: {0}", failed.toString());
    } finally {
      ended.countDown();
    }
  }

  private static void log(String what, long requests, long begin) {
    LOG.log(
        Level.INFO,
        "{0}: {1} requests in {2} ms",
        what,
        Long.toString(requests),
        Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)));
  }

  /**
   * Sends one request over each connection, also if the limit is over, and rounds until it is;
   * returns how many requests.
   */
  private long warmUp(WarmupServer server, long begin) throws IOException {
    long end = begin + limit.toNanos();
    try (var connections = WarmupConnections.open(server)) {
      long requests = connections.sendOne(() -> closed.getCount() > 0);
      while (isBefore(end)) {
        requests += connections.sendRound(() -> isBefore(end));
      }
      return requests;
    }
  }

  /** Sends requests while clients do not; returns how many. */
  private long goOn(WarmupServer server, long begin) throws IOException, InterruptedException {
    long end = begin + limitAfterReady.toNanos();
    long requests = 0;
    while (isBefore(end)) {
      try (var connections = WarmupConnections.open(server)) {
        for (int i = 0; i < ROUNDS_PER_CONNECTION; i++) {
          awaitIdle(end);
          requests += connections.sendRound(() -> isBefore(end));
        }
      }
    }
    return requests;
  }

  private void awaitIdle(long end) throws InterruptedException {
    while (isBefore(end) && !wasIdle.getAsBoolean()) {
      var _ = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private boolean isBefore(long nanoTime) {
    return closed.getCount() > 0 && System.nanoTime() - nanoTime < 0;
  }
}
