package io.nereid.server.warmup;

import io.nereid.server.protobuf.ModelInferRequest;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Sends requests to the server before it is ready, so that the JVM has compiled their way when
 * clients come. They go over sockets, through front ends of their own on free ports of the loopback
 * address, to models of their own: so none of them is counted, logged or traced, and no model of
 * the operator executes one; those have {@code model_warmup}. A warm-up that fails is one line in
 * the log, and the server serves.
 */
public final class ServerWarmup implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerWarmup.class.getName());

  /**
   * Requests of one connection in turn: only a thread that has sent the one before executes one
   * that is alone.
   */
  private static final int BURST = 16;

  private static final int HTTP_CONNECTIONS = 2;

  /** A response that takes longer is a failure. Longer than a busy machine needs for the first. */
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

  private final Duration limit;
  private final boolean http;
  private final boolean grpc;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean closed;

  /**
   * @param limit how long requests are sent; zero for none
   * @param http whether the server is to serve HTTP
   * @param grpc whether it is to serve gRPC
   */
  public ServerWarmup(Duration limit, boolean http, boolean grpc) {
    this.limit = limit;
    this.http = http;
    this.grpc = grpc;
  }

  /** Starts to send requests, and returns at once. Called once at most. */
  public void begin() {
    if (limit.isZero() || !(http || grpc)) {
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
    try (var server = WarmupServer.start(http, grpc)) {
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

  /**
   * One request of each connection, also if the limit is over; then one at a time for half of what
   * is left of it, and several at once; returns how many.
   */
  private long send(WarmupServer server, long begin) throws IOException {
    long end = begin + limit.toNanos();
    long requests = 0;
    List<RequestConnection> connections = new ArrayList<>();
    try {
      open(server, connections);
      for (RequestConnection connection : connections) {
        if (!closed) {
          connection.send();
          connection.receive();
          requests++;
        }
      }
      long now = System.nanoTime();
      long half = now + (end - now) / 2;
      while (isBefore(half)) {
        for (RequestConnection connection : connections) {
          for (int i = 0; i < BURST && isBefore(half); i++) {
            connection.send();
            connection.receive();
            requests++;
          }
        }
      }
      while (isBefore(end)) {
        for (RequestConnection connection : connections) {
          for (int i = 0; i < connection.maxInFlight(); i++) {
            connection.send();
          }
        }
        for (RequestConnection connection : connections) {
          for (int i = 0; i < connection.maxInFlight(); i++) {
            connection.receive();
            requests++;
          }
        }
      }
    } finally {
      for (RequestConnection connection : connections) {
        connection.close();
      }
    }
    return requests;
  }

  private void open(WarmupServer server, List<RequestConnection> connections) throws IOException {
    List<InferRequest> requests = WarmupModel.requests();
    if (http) {
      List<byte[]> bodies =
          requests.stream()
              .flatMap(request -> Stream.of(request.json(), request.binary()))
              .toList();
      for (int i = 0; i < HTTP_CONNECTIONS; i++) {
        connections.add(new HttpRequests(server.httpPort(), RESPONSE_TIMEOUT, bodies));
      }
    }
    if (grpc) {
      List<ModelInferRequest> messages = requests.stream().map(InferRequest::message).toList();
      connections.add(new GrpcRequests(server.grpcPort(), RESPONSE_TIMEOUT, messages));
    }
  }

  private boolean isBefore(long nanoTime) {
    return !closed && System.nanoTime() - nanoTime < 0;
  }
}
