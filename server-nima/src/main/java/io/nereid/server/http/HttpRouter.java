package io.nereid.server.http;

import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.console.ConsoleRoutes;
import io.nereid.server.http.control.RepositoryRoutes;
import io.nereid.server.http.control.SettingRoutes;
import io.nereid.server.http.control.SharedMemoryRoutes;
import io.nereid.server.http.control.StatusRoutes;
import io.nereid.server.http.inference.GenerateRoutes;
import io.nereid.server.http.inference.InferRoutes;
import io.nereid.server.http.route.ForbiddenException;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.server.http.text.TextRoutes;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;

/**
 * The handler of all requests: finds the route of a path and turns failures into responses.
 *
 * @param console empty without {@code --console}
 */
record HttpRouter(
    CorsOrigins origins,
    RestrictedApis restricted,
    LoadReports loads,
    Routes routes,
    Optional<ConsoleRoutes> console)
    implements HttpHandler {
  private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());
  private static final String NOT_ALLOWED = "Method Not Allowed";

  /**
   * The handlers, by what they do.
   *
   * @param text empty without {@code --text-api}
   */
  record Routes(
      StatusRoutes status,
      InferRoutes infer,
      GenerateRoutes generate,
      Optional<TextRoutes> text,
      RepositoryRoutes repository,
      SharedMemoryRoutes sharedMemory,
      SettingRoutes settings) {}

  @Override
  public void handle(HttpRequest request, HttpResponse response) throws IOException {
    if (!origins.isOff()) {
      origins.permit(request, response);
      if (CorsOrigins.isPreflight(request)) {
        origins.preflight(request, response);
        return;
      }
    }
    if (request.path().equals("*")) {
      HttpResponses.error(response.header("Allow", "GET, POST"), 405, NOT_ALLOWED);
      return;
    }
    Route route = Route.parse(request.path());
    boolean isOff =
        (route instanceof Route.Text && routes.text.isEmpty())
            || (route instanceof Route.Console && console.isEmpty());
    if (route instanceof Route.Unknown || isOff) {
      HttpResponses.error(response, 404, "Not Found");
      return;
    }
    Optional<String> missing =
        route.isOpen() ? Optional.empty() : restricted.missing(route.category(), request::header);
    if (missing.isPresent()) {
      forbidden(route, response, ForbiddenException.message(missing.get()));
      return;
    }
    if (!route.methods().contains(request.method())) {
      String allowed = String.join(", ", route.methods());
      HttpResponses.error(response.header("Allow", allowed), route.errors(), 405, NOT_ALLOWED);
      return;
    }
    try {
      dispatch(route, request, response);
    } catch (InferenceException failure) {
      HttpResponses.error(response, route.errors(), failure);
    } catch (ForbiddenException forbidden) {
      forbidden(route, response, String.valueOf(forbidden.getMessage()));
    } catch (RuntimeException bug) {
      if (response.isSent()) {
        throw bug; // the connection logs it and ends
      }
      InferenceException failure = UnexpectedFailures.of(LOG, "request " + route, bug);
      HttpResponses.error(response, route.errors(), failure);
    }
  }

  private static void forbidden(Route route, HttpResponse response, String message)
      throws IOException {
    HttpResponses.error(response, route.errors(), 403, message);
  }

  private void dispatch(Route route, HttpRequest request, HttpResponse response)
      throws IOException {
    if (route instanceof Route.OfModel model) { // the switch would take 1 ms of the first inference
      dispatch(model, request, response);
      return;
    }
    switch (route) {
      case Route.Live() -> routes.status.live(response);
      case Route.Ready() -> routes.status.ready(response);
      case Route.ServerMetadata() -> routes.status.metadata(response);
      case Route.Models() -> routes.repository.models(request, response);
      case Route.Statistics() -> routes.status.statistics(request, response);
      case Route.TraceSettings trace -> routes.settings.trace(trace, request, response);
      case Route.LogSettings() -> routes.settings.log(request, response);
      case Route.Text text -> dispatch(text, request, response);
      case Route.Console page -> console.orElseThrow().handle(page, request, response);
      case Route.RepositoryIndex() -> routes.repository.index(request, response);
      case Route.ModelControl control -> {
        switch (control.action()) {
          case LOAD -> routes.repository.load(control, request, response);
          case UNLOAD -> routes.repository.unload(control, request, response);
        }
      }
      case Route.SharedMemory memory -> {
        switch (memory.action()) {
          case STATUS -> routes.sharedMemory.status(memory, request, response);
          case REGISTER -> routes.sharedMemory.register(memory, request, response);
          case UNREGISTER -> routes.sharedMemory.unregister(memory, response);
        }
      }
      case Route.OfModel _, Route.Unknown() -> throw new AssertionError("answered above");
    }
  }

  /** Adds a report of the load to the response, also to that of a failure, if it is asked for. */
  private void report(HttpRequest request, HttpResponse response) {
    Optional<String> format = request.header(LoadReports.FORMAT);
    if (format.isEmpty()
        || restricted.missing(ApiCategory.STATISTICS, request::header).isPresent()) {
      return;
    }
    if (LoadReports.isBinary(format.get())) {
      loads
          .binary()
          .ifPresent(report ->
              response.header(
                  LoadReports.BINARY_FIELD, Base64.getEncoder().encodeToString(report)));
    } else {
      loads.text(format.get()).ifPresent(text -> response.header(LoadReports.TEXT_FIELD, text));
    }
  }

  private void dispatch(Route.Text route, HttpRequest request, HttpResponse response)
      throws IOException {
    if (route.category() == ApiCategory.INFERENCE) {
      report(request, response);
    }
    routes.text.orElseThrow().handle(route, request, response);
  }

  private void dispatch(Route.OfModel route, HttpRequest request, HttpResponse response)
      throws IOException {
    if (route.category() == ApiCategory.INFERENCE) {
      report(request, response);
    }
    switch (route.resource()) {
      case METADATA -> routes.status.metadata(route, response);
      case CONFIG -> routes.status.config(route, response);
      case STATS -> routes.status.statistics(route, response);
      case READY -> routes.status.ready(route, response);
      case INFER -> routes.infer.infer(route, request, response);
      case GENERATE -> routes.generate.generate(route, request, response);
      case GENERATE_STREAM -> routes.generate.stream(route, request, response);
    }
  }
}
