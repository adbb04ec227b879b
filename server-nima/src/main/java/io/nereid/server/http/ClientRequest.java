package io.nereid.server.http;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.ResponsePromise;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.util.OptionalLong;

/** A request of inference over HTTP that is decoded. Used by the thread of its connection. */
final class ClientRequest implements AutoCloseable {
  private final ClientRequests way;
  final LoadedModel model;
  private final OptionalLong version;

  /** What the client asks; the engine has it once it is submitted. */
  final DecodedRequest decoded;

  private final RequestDeadline deadline;
  final HttpRequest request;
  final HttpResponse response;
  final RequestTelemetry telemetry;
  private final ClientKey client;
  private boolean isInFlight;

  /**
   * @param version as the client asks for it
   */
  ClientRequest(
      ClientRequests way,
      LoadedModel model,
      OptionalLong version,
      DecodedRequest decoded,
      RequestDeadline deadline,
      HttpRequest request,
      HttpResponse response,
      RequestTelemetry telemetry) {
    this.way = way;
    this.model = model;
    this.version = version;
    this.decoded = decoded;
    this.deadline = deadline;
    this.request = request;
    this.response = response;
    this.telemetry = telemetry;
    this.client = decoded.client();
  }

  /** The time that is left until the client's deadline; {@code NO_LIMIT} without one. */
  long leftNanos() {
    return deadline.leftNanos();
  }

  /**
   * Submits the request, before this method returns. It is in flight until {@link #close}.
   *
   * @throws InferenceException RESOURCE_EXHAUSTED if too many are
   */
  void submit(ResponsePromise promise) throws IOException {
    way.limit().begin(client);
    isInFlight = true;
    long stringBytes = stringBytes();
    if (stringBytes < LongWork.LEAST) {
      way.engine().submit(model, version, decoded, promise, leftNanos());
      return;
    }
    // The elements of strings are checked one by one: where they are many, no thread of a
    // connection does that, of which as many run as there are processors.
    var _ =
        way.longWork()
            .call(
                request.client(),
                stringBytes,
                () -> {
                  way.engine().submit(model, version, decoded, promise, leftNanos());
                  return decoded;
                });
  }

  private long stringBytes() {
    long bytes = 0;
    for (Tensor input : decoded.inputs()) {
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
  @Override
  public void close() {
    if (isInFlight) {
      isInFlight = false;
      way.limit().end(client);
    }
  }
}
