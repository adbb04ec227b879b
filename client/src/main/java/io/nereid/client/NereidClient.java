package io.nereid.client;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A client of one server of the v2 protocol, over REST or gRPC: the calls are the same. Used by any
 * number of threads; it keeps connections open for the next calls and starts no thread that keeps
 * the JVM alive.
 *
 * <pre>{@code
 * try (NereidClient client = NereidClient.connect("http://localhost:8000")) {
 *   InferResponse response =
 *       client.infer(
 *           InferRequest.to("simple").input("INPUT0", a).input("INPUT1", b).build());
 *   int[] sums = response.output("OUTPUT0").ints();
 * }
 * }</pre>
 *
 * <p>Every call ends: with its result, or with a {@link NereidException} by its deadline at the
 * latest. Methods that return a future do not wait; to cancel the future, or to complete it,
 * cancels the call. An interrupt cancels a call that waits.
 */
public final class NereidClient implements AutoCloseable {
  private final ClientTransport transport;
  private final RetryPolicy retries;
  private final Duration deadline;
  private final Map<String, String> headers;

  NereidClient(
      ClientTransport transport,
      RetryPolicy retries,
      Duration deadline,
      Map<String, String> headers) {
    this.transport = transport;
    this.retries = retries;
    this.deadline = deadline;
    this.headers = headers;
  }

  /** A client with the defaults of {@link ClientBuilder}; connects with the first call. */
  public static NereidClient connect(String address) {
    return builder(address).open();
  }

  /**
   * A client that is yet to be configured.
   *
   * @param address {@code http://host:port}, or {@code https}; {@code grpc://host:port}, or {@code
   *     grpcs} for gRPC over TLS
   */
  public static ClientBuilder builder(String address) {
    return new ClientBuilder(URI.create(address));
  }

  /** The same client, over the same connections, whose calls may take another time. */
  public NereidClient withDeadline(Duration time) {
    return new NereidClient(transport, retries, Arguments.positive("deadline", time), headers);
  }

  /** The same client, over the same connections, with one more header in each call. */
  public NereidClient withHeader(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(Arguments.header(name), value);
    return new NereidClient(transport, retries, deadline, Map.copyOf(more));
  }

  /** Sends a request and waits for the response. */
  public InferResponse infer(InferRequest request) {
    return Attempts.run(
        retries,
        request.mayRunTwice(),
        context(request),
        context -> transport.infer(request, context));
  }

  /** Sends a request. */
  public CompletableFuture<InferResponse> inferAsync(InferRequest request) {
    return Attempts.start(
        retries,
        request.mayRunTwice(),
        context(request),
        context -> transport.inferAsync(request, context));
  }

  /** The responses of a decoupled model, or the one of another; gRPC only. Not repeated. */
  public ResponseStream<InferResponse> stream(InferRequest request) {
    return new ResponseStream<>(publish(request), request + " at " + address());
  }

  /**
   * As {@link #stream}. The request is sent anew for each subscriber, who is called by one thread
   * at a time. The server waits for a subscriber that requests nothing.
   */
  public Flow.Publisher<InferResponse> publish(InferRequest request) {
    return subscriber -> transport.stream(request, context(request)).subscribe(subscriber);
  }

  private CallContext context(InferRequest request) {
    Duration own = request.deadline();
    return context(own == null ? deadline : own, request.headers());
  }

  private CallContext context(Duration time, Map<String, String> more) {
    Map<String, String> all = headers;
    if (!more.isEmpty()) {
      all = new LinkedHashMap<>(headers);
      all.putAll(more);
    }
    return new CallContext(System.nanoTime() + time.toNanos(), all);
  }

  /** Where the server is. */
  public String address() {
    return transport.address();
  }

  /** Ends all calls, with UNAVAILABLE, and closes all connections; those of its variants, too. */
  @Override
  public void close() {
    transport.close();
  }
}
