package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.ClientHeader;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * The way of each request of inference over HTTP, whichever API it is of: the model, the trace,
 * whose it is, the limits, the engine. An API brings a decoder, and a receiver of the responses.
 *
 * @param limit of all APIs together
 */
record ClientRequests(
    RequestAdmission engine,
    Tracer tracer,
    ClientHeader clientHeader,
    InFlightLimit limit,
    LongWork longWork) {
  /** What the model is asked, in the language of an API. */
  @FunctionalInterface
  interface Decoder {
    /**
     * Reads a request.
     *
     * @throws InferenceException if the API or the model cannot take it
     */
    DecodedRequest decode(LoadedModel model, HttpRequest request, HttpResponse response)
        throws IOException;
  }

  /** What becomes of the responses of the model. */
  @FunctionalInterface
  interface Receiver {
    /** Submits the request, takes its responses, and sends what they are in the API. */
    void receive(ClientRequest request) throws IOException;
  }

  /** Serves a request. */
  void serve(
      Route.OfModel route,
      HttpRequest request,
      HttpResponse response,
      Decoder decoder,
      Receiver receiver)
      throws IOException {
    OptionalLong version = route.versionNumber();
    RequestTelemetry untraced = request.telemetry();
    untraced.model(route.model(), route.version());
    LoadedModel model = engine.model(route.model(), version);
    var deadline = RequestDeadline.of(request);
    try (RequestTelemetry telemetry =
        untraced.withTrace(tracer.sample(route.model(), request, HttpRequest::header))) {
      telemetry.reached(TracePoint.HTTP_RECV_START);
      // The engine takes the request, unless it is refused before.
      try (DecodedRequest decoded = decoder.decode(model, request, response)) {
        decoded.setClient(clientHeader.client(request, HttpRequest::header, request.client()));
        telemetry.decoded(model, decoded);
        telemetry.reached(TracePoint.HTTP_RECV_END);
        try (var asked =
            new ClientRequest(
                this, model, version, decoded, deadline, request, response, telemetry)) {
          receiver.receive(asked);
        }
      } catch (InferenceException failure) {
        telemetry.failed(failure);
        throw failure;
      }
    }
  }
}
