package io.nereid.client;

import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;

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
  private static final int MAX_SEQUENCE_ID = 128;

  private final Caller caller;

  NereidClient(Caller caller) {
    this.caller = caller;
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
    return new NereidClient(caller.withDeadline(Arguments.positive("deadline", time)));
  }

  /** The same client, over the same connections, with one more header in each call. */
  public NereidClient withHeader(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(caller.headers());
    Arguments.putHeader(more, name, value);
    return new NereidClient(caller.withHeaders(Map.copyOf(more)));
  }

  /** Sends a request and waits for the response. */
  public InferResponse infer(InferRequest request) {
    return attempts(request).run(context -> caller.transport().infer(request, context));
  }

  /** Sends a request. */
  public CompletableFuture<InferResponse> inferAsync(InferRequest request) {
    return caller.handOver(start(request));
  }

  /** As {@link #inferAsync}, for what is the client's own. */
  Call<InferResponse> start(InferRequest request) {
    return attempts(request).start(context -> caller.transport().inferAsync(request, context));
  }

  private Attempts attempts(InferRequest request) {
    return caller.attempts("infer", request.model(), request.mayRunTwice(), context(request));
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
    return caller.publish(
        "stream",
        request.model(),
        () -> context(request),
        context -> caller.transport().stream(request, context));
  }

  private CallContext context(InferRequest request) {
    return caller.context(request.deadline(), request.headers());
  }

  /** Sends a request of the generate extension and waits for its one response; REST only. */
  public Generated generate(GenerateRequest request) {
    return caller.await(generateAsync(request));
  }

  /** Sends a request of the generate extension, which has one response; REST only. */
  public CompletableFuture<Generated> generateAsync(GenerateRequest request) {
    return caller.handOver(
        caller
            .attempts("generate", request.model(), request.mayRunTwice(), context(request))
            .start(context -> caller.transport().generate(request, context)));
  }

  /** The responses to a request of the generate extension as they come; REST only. Not repeated. */
  public ResponseStream<Generated> generateStream(GenerateRequest request) {
    return new ResponseStream<>(publishGenerated(request), request + " at " + address());
  }

  /** As {@link #generateStream}, to any number of subscribers, as {@link #publish}. */
  public Flow.Publisher<Generated> publishGenerated(GenerateRequest request) {
    return caller.publish(
        "generateStream",
        request.model(),
        () -> context(request),
        context -> caller.transport().generateStream(request, context));
  }

  private CallContext context(GenerateRequest request) {
    return caller.context(request.deadline(), request.headers());
  }

  /** A sequence with an id that no other has. */
  public Sequence sequence(String model) {
    return sequence(model, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
  }

  /** A sequence with an id of yours, above 0. */
  public Sequence sequence(String model, long id) {
    if (id <= 0) {
      throw new IllegalArgumentException("the id of a sequence is above 0: " + id);
    }
    return new Sequence(this, caller, model, id);
  }

  /** A sequence with an id of yours, for models that are told ids as strings. */
  public Sequence sequence(String model, String id) {
    if (id.isEmpty() || id.length() > MAX_SEQUENCE_ID) {
      throw new IllegalArgumentException(
          "the id of a sequence has 1 to %d characters: '%s'".formatted(MAX_SEQUENCE_ID, id));
    }
    return new Sequence(this, caller, model, id);
  }

  /** Calls that concern the server as a whole. */
  public ServerAdmin server() {
    return new ServerAdmin(caller);
  }

  /** Calls that concern models: metadata, statistics, loads. */
  public ModelAdmin models() {
    return new ModelAdmin(caller);
  }

  /** Calls that tell a server on the same machine of shared memory. */
  public RegionAdmin regions() {
    return new RegionAdmin(caller);
  }

  /** Where the server is. */
  public String address() {
    return caller.transport().address();
  }

  /** Ends all calls, with UNAVAILABLE, and closes all connections; those of its variants, too. */
  @Override
  public void close() {
    caller.transport().close();
  }
}
