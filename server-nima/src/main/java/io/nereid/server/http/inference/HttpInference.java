package io.nereid.server.http.inference;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.Route;
import java.io.IOException;

/**
 * The way in of requests over HTTP, with their limit.
 *
 * @param limit of all APIs together
 */
public record HttpInference(ClientRequests requests, InFlightLimit limit, LongWork longWork) {
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
    void receive(RoutedInference request) throws IOException;
  }

  /** Serves a request. */
  void serve(
      Route.OfModel route,
      HttpRequest request,
      HttpResponse response,
      Decoder decoder,
      Receiver receiver)
      throws IOException {
    try (var asked = new RoutedInference(this, route, request, response, decoder)) {
      // The engine takes the request, unless it is refused before.
      try (DecodedRequest decoded = requests.read(asked, request)) {
        asked.read(decoded);
        receiver.receive(asked);
      } catch (InferenceException failure) {
        asked.telemetry().failed(failure);
        throw failure;
      }
    }
  }
}
