package io.nereid.server.http;

import io.helidon.common.buffers.DataReader;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The handler of all requests: finds the route of a path and turns failures into responses. */
final class HttpRouter implements Handler {
  private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());

  private final StatusRoutes status;
  private final InferRoutes infer;
  private final RepositoryRoutes repository;

  HttpRouter(StatusRoutes status, InferRoutes infer, RepositoryRoutes repository) {
    this.status = status;
    this.infer = infer;
    this.repository = repository;
  }

  /**
   * Responds to a request. Closes the connection if the response has {@code Connection: close},
   * after which Helidon would read the next request.
   */
  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    respond(request, response);
    if (response.headers().contains(HeaderValues.CONNECTION_CLOSE)) {
      readRest(request);
      throw new CloseConnectionException("the response ends the connection");
    }
  }

  /** Reads what is left of the body: closing a socket with unread bytes resets the connection. */
  private static void readRest(ServerRequest request) {
    try {
      if (!request.content().consumed()) {
        request.content().consume();
      }
    } catch (RuntimeException broken) {
      throw new CloseConnectionException("the request's body ends early", broken);
    }
  }

  private void respond(ServerRequest request, ServerResponse response) {
    Route route = Route.parse(request.prologue().uriPath().rawPath());
    Method method = request.prologue().method();
    if (route instanceof Route.Unknown) {
      HttpResponses.error(response, 404, "Not Found");
      return;
    }
    if (method.equals(Method.HEAD)) {
      HttpResponses.status(response, 405); // a response to HEAD has no body
      return;
    }
    if (!method.equals(methodOf(route))) {
      HttpResponses.error(response, 405, "Method Not Allowed");
      return;
    }
    try {
      dispatch(route, request, response);
    } catch (InferenceException failure) {
      HttpResponses.error(response, failure);
    } catch (RequestException malformed) {
      if (response.isSent()) {
        throw malformed;
      }
      response.header(HeaderValues.CONNECTION_CLOSE);
      String message = Objects.requireNonNullElse(malformed.getMessage(), "malformed request");
      HttpResponses.error(response, malformed.status().code(), message);
      // The start of the next request is unknown.
      throw new CloseConnectionException("malformed request", malformed);
    } catch (RuntimeException bug) {
      if (isConnectionFailure(bug) || response.isSent()) {
        throw bug; // Helidon closes the connection
      }
      LOG.log(System.Logger.Level.ERROR, "request failed unexpectedly: " + route, bug);
      HttpResponses.error(response, InferenceException.unexpected(bug));
    }
  }

  private static boolean isConnectionFailure(RuntimeException thrown) {
    return thrown instanceof UncheckedIOException
        || thrown instanceof CloseConnectionException
        || thrown instanceof DataReader.InsufficientDataAvailableException;
  }

  private static Method methodOf(Route route) {
    return switch (route) {
      case Route.RepositoryIndex(), Route.ModelControl _ -> Method.POST;
      case Route.OfModel model when model.resource() == Route.Resource.INFER -> Method.POST;
      case Route.OfModel _,
          Route.ServerMetadata(),
          Route.Live(),
          Route.Ready(),
          Route.Statistics(),
          Route.Unknown() ->
          Method.GET;
    };
  }

  private void dispatch(Route route, ServerRequest request, ServerResponse response) {
    switch (route) {
      case Route.Live() -> status.live(response);
      case Route.Ready() -> status.ready(response);
      case Route.ServerMetadata() -> status.metadata(response);
      case Route.Statistics() -> status.statistics(response);
      case Route.OfModel model -> {
        switch (model.resource()) {
          case METADATA -> status.metadata(model, response);
          case CONFIG -> status.config(model, response);
          case STATS -> status.statistics(model, response);
          case READY -> status.ready(model, response);
          case INFER -> infer.infer(model, request, response);
        }
      }
      case Route.RepositoryIndex() -> repository.index(request, response);
      case Route.ModelControl control -> {
        switch (control.action()) {
          case LOAD -> repository.load(control, request, response);
          case UNLOAD -> repository.unload(control, request, response);
        }
      }
      case Route.Unknown() -> throw new AssertionError("404 was sent");
    }
  }
}
