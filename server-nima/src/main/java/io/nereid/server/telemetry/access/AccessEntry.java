package io.nereid.server.telemetry.access;

import io.nereid.engine.telemetry.ExecutionObserver;
import io.nereid.engine.telemetry.HexId;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request for its line in the access log. The threads of a request fill it in,
 * one after the other. A request that is cancelled may be executed when its line is written; then
 * the line may lack the times of the execution.
 */
public final class AccessEntry implements ExecutionObserver {
  /** The most characters of a text that a client has sent. */
  static final int MAX_TEXT = 1_000;

  static final long UNKNOWN = -1;

  /** W3C Trace Context: version, trace id, parent id, flags. */
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

  private static final Pattern REQUEST_ID = Pattern.compile("[!-~]{1,128}");

  private static final String NO_TRACE = "0".repeat(32);

  final Protocol protocol;
  final Instant time;
  final long startNanos;
  String client;
  String clientName = "";
  String method = "";
  String path = "";
  String model = "";
  String version = "";
  String id = "";
  String traceId = "";
  String requestId = "";
  String forwardedFor = "";
  String userAgent = "";
  long trace;

  /** Of HTTP; 0 if there is none. */
  int status;

  /** Of gRPC; empty if there is none. */
  String grpcStatus = "";

  String error = "";
  long bytesIn;
  long bytesOut;
  long totalNanos;
  long queueNanos = UNKNOWN;
  long computeNanos = UNKNOWN;

  AccessEntry(Protocol protocol, String client, Instant time, long startNanos) {
    this.protocol = protocol;
    this.client = client;
    this.time = time;
    this.startNanos = startNanos;
  }

  /** Sets whom the request is from. */
  public void client(String newClient) {
    client = newClient;
  }

  /** Sets by which name limits and queues know the client, if that is not its address. */
  public void clientName(String name) {
    clientName = name.equals(client) ? "" : name;
  }

  /** Sets the method and the path of a request of HTTP. */
  public void http(String newMethod, String newPath) {
    method = limited(newMethod);
    path = limited(newPath);
  }

  /** Sets the full name of the method of a gRPC call. */
  public void rpc(String newMethod) {
    method = limited(newMethod);
  }

  /**
   * Sets what a client or its proxy says of a request, as it came.
   *
   * @param field looks up the value of a header or of metadata by its name, in lower case
   */
  public void fields(Function<String, Optional<String>> field) {
    requestId = limited(field.apply("x-request-id").orElse(""));
    forwardedFor = limited(field.apply("x-forwarded-for").orElse(""));
    userAgent = limited(field.apply("user-agent").orElse(""));
    field.apply("traceparent").ifPresent(this::traceparent);
  }

  /**
   * Sees that there is an id of the request for its response: the client's, if it is a short word
   * of visible ASCII, or a new one, of 32 hexadecimal digits.
   */
  public String giveId() {
    if (!REQUEST_ID.matcher(requestId).matches()) {
      requestId = HexId.next();
    }
    return requestId;
  }

  /** Takes the trace's id of a W3C {@code traceparent}; one that is malformed has no effect. */
  void traceparent(@Nullable String field) {
    if (field != null && field.length() <= MAX_TEXT) {
      Matcher matcher = TRACEPARENT.matcher(field);
      if (matcher.matches() && !matcher.group(1).equals(NO_TRACE)) {
        traceId = matcher.group(1);
      }
    }
  }

  /**
   * Sets the trace that the server records of the request.
   *
   * @param spans the id of its spans' trace; empty if they are not exported
   */
  public void trace(long newTrace, String spans) {
    trace = newTrace;
    traceId = spans.isEmpty() ? traceId : spans;
  }

  /** Sets the model, and its version as the client has asked for it or as it serves the request. */
  public void model(String newModel, String newVersion) {
    model = limited(newModel);
    version = limited(newVersion);
  }

  /** Sets the client's id of the request; may be empty. */
  public void id(String newId) {
    id = limited(newId);
  }

  @Override
  public void executed(long newQueueNanos, long newComputeNanos) {
    queueNanos = newQueueNanos;
    computeNanos = newComputeNanos;
  }

  /** Sets the bytes that the request has taken. */
  public void received(long bytes) {
    bytesIn = bytes;
  }

  /** Sets the bytes of the response. */
  public void sent(long bytes) {
    bytesOut = bytes;
  }

  /** The bytes of the response so far. */
  public long sentBytes() {
    return bytesOut;
  }

  /** Sets the status of a response of HTTP. */
  public void status(int newStatus) {
    status = newStatus;
  }

  /** Sets the status of a gRPC call, by its name. */
  public void status(String newStatus) {
    grpcStatus = newStatus;
  }

  /** Sets why the request failed; null if it did not, or for a reason without a text. */
  public void error(@Nullable String text) {
    error = text == null ? "" : limited(text);
  }

  private static String limited(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
