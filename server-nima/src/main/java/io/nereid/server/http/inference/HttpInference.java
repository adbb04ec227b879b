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
  /** For which model a request is. */
  @FunctionalInterface
  public interface Addressing {
    /**
     * Finds the model's route, as that of a request of {@code infer}; reads the body, if that says
     * it.
     *
     * @throws InferenceException if the request does not say it
     */
    Route.OfModel find(HttpRequest request, HttpResponse response) throws IOException;
  }

  /** What the model is asked, in the language of an API. */
  @FunctionalInterface
  public interface Decoder {
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
  public interface Receiver {
    /** Submits the request, takes its responses, and sends what they are in the API. */
    void receive(RoutedInference request) throws IOException;
  }

  /** Serves a request whose path says for which model it is. */
  void serve(
      Route.OfModel route,
      HttpRequest request,
      HttpResponse response,
      Decoder decoder,
      Receiver receiver)
      throws IOException {
    serve((_, _) -> route, request, response, decoder, receiver);
  }

  /** Serves a request. */
  public void serve(
      Addressing addressing,
      HttpRequest request,
      HttpResponse response,
      Decoder decoder,
      Receiver receiver)
      throws IOException {
    try (var asked = new RoutedInference(this, addressing, request, response, decoder)) {
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
