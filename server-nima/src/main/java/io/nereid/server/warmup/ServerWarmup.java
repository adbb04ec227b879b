package io.nereid.server.warmup;

import io.nereid.server.protobuf.ModelInferRequest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests to the server before it is ready, so that the JVM has compiled their way when
 * clients come. They go over sockets, through front ends of their own on free ports of the loopback
 * address, to a model of their own: so none of them is counted, logged or traced, and no model of
 * the operator executes one; those have {@code model_warmup}. A warm-up that fails is one line in
 * the log, and the server serves.
 */
public final class ServerWarmup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerWarmup.class.getName());

  /**
   * Requests of one protocol in turn: the thread of an HTTP connection executes those that are
   * alone.
   */
  private static final int BURST = 16;

  /** How many calls of gRPC are in flight at once in the second half. */
  private static final int CALLS = 4;

  private final Duration limit;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closed;

  /**
   * @param limit how long requests are sent; zero for none
   */
  public ServerWarmup(Duration limit) {
    this.limit = limit;
  }

  /** Starts to send requests, and returns at once. Called once at most. */
  public void begin() {
    if (limit.isZero()) {
      ended.countDown();
    } else {
      Thread.ofPlatform().daemon().name("server warm-up").start(this::run);
    }
  }

  /** Waits until the last request has ended; after {@link #begin}. */
  public void await() {
    try {
      ended.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the warm-up early. */
  @Override
  public void close() {
    closed = true;
  }

  private void run() {
    long begin = System.nanoTime();
    try (var server = WarmupServer.start()) {
      long requests = send(server, begin);
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      LOG.log(
          Level.INFO,
          "warm-up: {0} requests in {1} ms",
          Long.toString(requests),
          Long.toString(millis));
      ended.countDown(); // nobody need wait for the end of the listeners
    } catch (IOException | RuntimeException failed) {
      LOG.log(Level.WARNING, "the server could not warm up: {0}", failed.toString());
    } finally {
      ended.countDown();
    }
  }

  /** One request at a time for half of the limit, then several at once; returns how many. */
  private long send(WarmupServer server, long begin) throws IOException {
    long half = begin + limit.toNanos() / 2;
    long end = begin + limit.toNanos();
    long requests = 0;
    List<byte[]> bodies = new ArrayList<>();
    List<ModelInferRequest> messages = new ArrayList<>();
    for (InferRequest request : WarmupModel.requests()) {
      bodies.add(request.json());
      bodies.add(request.binary());
      messages.add(request.message());
    }
    try (var http = new HttpRequests(server.httpPort(), limit, bodies);
        var other = new HttpRequests(server.httpPort(), limit, bodies);
        var grpc = new GrpcRequests(server.grpcPort(), limit, messages)) {
      while (isBefore(half)) {
        for (int i = 0; i < BURST; i++) {
          http.send();
          http.receive();
        }
        for (int i = 0; i < BURST; i++) {
          grpc.send(1);
          grpc.receive(1);
        }
        requests += 2 * BURST;
      }
      while (isBefore(end)) {
        http.send();
        other.send();
        grpc.send(CALLS);
        http.receive();
        other.receive();
        grpc.receive(CALLS);
        requests += 2 + CALLS;
      }
    }
    return requests;
  }

  private boolean isBefore(long nanoTime) {
    return !closed && System.nanoTime() - nanoTime < 0;
  }
}
