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

/** From a request's path to the class that answers it. On the connection's virtual thread. */
final class HttpRouter implements Handler {
  private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());

  private final HealthRoutes health;
  private final MetadataRoutes metadata;
  private final StatisticsRoutes statistics;
  private final InferRoutes infer;

  HttpRouter(
      HealthRoutes health,
      MetadataRoutes metadata,
      StatisticsRoutes statistics,
      InferRoutes infer) {
    this.health = health;
    this.metadata = metadata;
    this.statistics = statistics;
    this.infer = infer;
  }

  @Override
  public void handle(ServerRequest request, ServerResponse response) {
    respond(request, response);
    if (response.headers().contains(HeaderValues.CONNECTION_CLOSE)) {
      close(request);
    }
  }

  /** Ends a connection whose response says so, as Helidon's loop does not. */
  private static void close(ServerRequest request) {
    try {
      if (!request.content().consumed()) {
        request.content().consume(); // a socket closed with unread bytes resets the connection
      }
    } catch (RuntimeException broken) {
      throw new CloseConnectionException("the request's body ends early", broken);
    }
    throw new CloseConnectionException("the response ends the connection");
  }

  private void respond(ServerRequest request, ServerResponse response) {
    Route route = Route.parse(request.prologue().uriPath().rawPath());
    Method method = request.prologue().method();
    if (route instanceof Route.Unknown) {
      HttpReply.error(response, 404, "Not Found");
      return;
    }
    if (method.equals(Method.HEAD)) {
      HttpReply.status(response, 405); // an answer to HEAD has no body
      return;
    }
    if (!method.equals(methodOf(route))) {
      HttpReply.error(response, 405, "Method Not Allowed");
      return;
    }
    try {
      dispatch(route, request, response);
    } catch (InferenceException failure) {
      HttpReply.error(response, failure);
    } catch (RequestException malformed) {
      if (response.isSent()) {
        throw malformed;
      }
      response.header(HeaderValues.CONNECTION_CLOSE);
      HttpReply.error(response, malformed.status().code(), malformed.getMessage());
      // Where the next request begins is unknown.
      throw new CloseConnectionException("malformed request", malformed);
    } catch (RuntimeException bug) {
      if (isConnections(bug) || response.isSent()) {
        throw bug; // the client is gone, or half an answer is out: Helidon closes the connection
      }
      LOG.log(System.Logger.Level.ERROR, "request failed unexpectedly: " + route, bug);
      HttpReply.error(response, InferenceException.unexpected(bug));
    }
  }

  /**
   * Whether Helidon knows better what to do: the connection is broken, or what came on it is no
   * HTTP.
   */
  private static boolean isConnections(RuntimeException thrown) {
    return thrown instanceof UncheckedIOException
        || thrown instanceof CloseConnectionException
        || thrown instanceof DataReader.InsufficientDataAvailableException;
  }

  private static Method methodOf(Route route) {
    return route instanceof Route.OfModel model && model.resource() == Route.Resource.INFER
        ? Method.POST
        : Method.GET;
  }

  private void dispatch(Route route, ServerRequest request, ServerResponse response) {
    switch (route) {
      case Route.Live() -> health.live(response);
      case Route.Ready() -> health.ready(response);
      case Route.ServerMetadata() -> metadata.server(response);
      case Route.Statistics() -> statistics.all(response);
      case Route.OfModel model -> {
        switch (model.resource()) {
          case METADATA -> metadata.model(model, response);
          case CONFIG -> metadata.config(model, response);
          case STATS -> statistics.model(model, response);
          case READY -> health.modelReady(model, response);
          case INFER -> infer.infer(model, request, response);
        }
      }
      case Route.Unknown() -> throw new AssertionError("answered before");
    }
  }
}
