package io.nereid.server.http.inference;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.AwaitedResponse;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.http.route.Route;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A request of inference over HTTP. Used by the thread of its connection. */
public final class RoutedInference implements ClientRequests.Incoming<IOException>, AutoCloseable {
  private final HttpInference way;
  private final HttpInference.Addressing addressing;
  final HttpRequest request;
  final HttpResponse response;
  private final HttpInference.Decoder decoder;

  /** When the head was read, by {@link System#nanoTime}. */
  private final long arrivedNanos = System.nanoTime();

  /** Null until the model's name is asked for. */
  private Route.@Nullable OfModel route;

  private RequestTelemetry telemetry;
  private RequestDeadline deadline = RequestDeadline.NONE;
  private @Nullable LoadedModel model;
  private @Nullable DecodedRequest decoded;

  /** Whose the request is, while it is in flight; otherwise null. */
  private @Nullable ClientKey inFlight;

  RoutedInference(
      HttpInference way,
      HttpInference.Addressing addressing,
      HttpRequest request,
      HttpResponse response,
      HttpInference.Decoder decoder) {
    this.way = way;
    this.addressing = addressing;
    this.request = request;
    this.response = response;
    this.decoder = decoder;
    this.telemetry = request.telemetry();
  }

  @Override
  public String modelName() throws IOException {
    Route.OfModel found = addressing.find(request, response);
    route = found;
    telemetry.model(found.model(), found.version());
    return found.model();
  }

  @Override
  public OptionalLong version() {
    return Objects.requireNonNull(route).versionNumber();
  }

  @Override
  public RequestTelemetry begin(LoadedModel present, @Nullable RequestTrace trace) {
    model = present;
    telemetry = telemetry.withTrace(trace);
    deadline = RequestDeadline.of(request, arrivedNanos);
    telemetry.reachedAt(TracePoint.HTTP_RECV_START, arrivedNanos);
    return telemetry;
  }

  @Override
  public DecodedRequest decode(LoadedModel present) throws IOException {
    return decoder.decode(present, request, response);
  }

  /** Tells what the client asks; the engine has it once it is submitted. */
  void read(DecodedRequest request) {
    decoded = request;
    telemetry.reached(TracePoint.HTTP_RECV_END);
  }

  public HttpRequest request() {
    return request;
  }

  public HttpResponse response() {
    return response;
  }

  public RequestTelemetry telemetry() {
    return telemetry;
  }

  /** The version that serves the request. */
  public LoadedModel model() {
    return Objects.requireNonNull(model);
  }

  DecodedRequest decoded() {
    return Objects.requireNonNull(decoded);
  }

  /** The time that is left until the client's deadline; {@code NO_LIMIT} without one. */
  long leftNanos() {
    return deadline.leftNanos();
  }

  /**
   * Submits the request, and waits for its only response; its deadline, a disconnect or the end of
   * a stop cancels it.
   *
   * @return owned by the caller
   * @throws InferenceException why it was not answered
   */
  public InferenceResponse awaitResponse() throws IOException {
    var receiver = new AwaitedResponse(telemetry);
    var promise = new ResponsePromise(receiver);
    submit(promise);
    InferenceResponse awaited = await(receiver, promise);
    ended();
    response.executed();
    telemetry.reached(TracePoint.INFER_RESPONSE_COMPLETE);
    return awaited;
  }

  private InferenceResponse await(AwaitedResponse receiver, ResponsePromise promise) {
    ReadAhead ahead = request.ahead();
    ahead.begin(response, promise::cancel);
    try {
      return receiver.await(promise, leftNanos());
    } catch (InferenceException failure) {
      throw explained(failure);
    } finally {
      ahead.end();
    }
  }

  /**
   * Submits the request, before this method returns. It is in flight until {@link #ended}.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if too many are
   */
  void submit(ResponsePromise promise) throws IOException {
    DecodedRequest asked = decoded();
    way.limit().begin(asked.client());
    inFlight = asked.client();
    long stringBytes = stringBytes(asked);
    if (stringBytes < LongWork.LEAST) {
      submit(asked, promise);
      return;
    }
    // The elements of strings are checked one by one: where they are many, no thread of a
    // connection does that, of which as many run as there are processors.
    var _ = way.longWork().call(request.client(), stringBytes, () -> submit(asked, promise));
  }

  private DecodedRequest submit(DecodedRequest asked, ResponsePromise promise) {
    way.requests().engine().submit(model(), version(), asked, promise, leftNanos());
    return asked;
  }

  private static long stringBytes(DecodedRequest asked) {
    long bytes = 0;
    for (Tensor input : asked.inputs()) {
      if (input.dataType() == DataType.BYTES) {
        bytes += input.byteSize();
      }
    }
    return bytes;
  }

  /**
   * A failure; a cancellation says whether the client has left, the server has no time left, or the
   * deadline has passed.
   */
  InferenceException explained(InferenceException failure) {
    if (failure.code() != StatusCode.CANCELLED) {
      return failure;
    }
    ReadAhead ahead = request.ahead();
    if (ahead.isDisconnected()) {
      response.closeConnection(); // a client of HTTP/1.0 may read the response
      return new InferenceException(
          StatusCode.CANCELLED, "the client closed its connection before the response was sent");
    }
    if (ahead.isExpired()) {
      response.executed(); // perhaps it was
      return InferenceException.unavailable(
          "the server stops, and the request has not ended within the exit timeout");
    }
    return deadline.hasPassed() ? RequestDeadline.exceeded() : failure;
  }

  /** States that the request is in flight no more; has no effect if it is not. */
  void ended() {
    if (inFlight != null) {
      way.limit().end(inFlight);
      inFlight = null;
    }
  }

  @Override
  public void close() {
    ended();
    telemetry.close();
  }
}
