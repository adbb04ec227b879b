package io.nereid.server.http;

import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.control.RepositoryRoutes;
import io.nereid.server.http.control.SettingRoutes;
import io.nereid.server.http.control.SharedMemoryRoutes;
import io.nereid.server.http.control.StatusRoutes;
import io.nereid.server.http.inference.GenerateRoutes;
import io.nereid.server.http.inference.InferRoutes;
import io.nereid.server.http.route.ForbiddenException;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;

/** The handler of all requests: finds the route of a path and turns failures into responses. */
record HttpRouter(CorsOrigins origins, RestrictedApis restricted, LoadReports loads, Routes routes)
    implements HttpHandler {
  private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());

  /** The handlers, by what they do. */
  record Routes(
      StatusRoutes status,
      InferRoutes infer,
      GenerateRoutes generate,
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
      methodNotAllowed(response, "GET, POST");
      return;
    }
    Route route = Route.parse(request.path());
    if (route instanceof Route.Unknown) {
      HttpResponses.error(response, 404, "Not Found");
      return;
    }
    Optional<String> missing =
        restricted.missing(route.category(), name -> request.header(name).orElse(null));
    if (missing.isPresent()) {
      HttpResponses.error(response, 403, ForbiddenException.message(missing.get()));
      return;
    }
    if (!route.methods().contains(request.method())) {
      methodNotAllowed(response, String.join(", ", route.methods()));
      return;
    }
    try {
      dispatch(route, request, response);
    } catch (InferenceException failure) {
      HttpResponses.error(response, failure);
    } catch (ForbiddenException forbidden) {
      HttpResponses.error(response, 403, String.valueOf(forbidden.getMessage()));
    } catch (RuntimeException bug) {
      if (response.isSent()) {
        throw bug; // the connection logs it and ends
      }
      HttpResponses.error(response, UnexpectedFailures.of(LOG, "request " + route, bug));
    }
  }

  private static void methodNotAllowed(HttpResponse response, String allowed) throws IOException {
    HttpResponses.error(response.header("Allow", allowed), 405, "Method Not Allowed");
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
    if (format.isEmpty() || !isAllowed(ApiCategory.STATISTICS, request)) {
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

  private boolean isAllowed(ApiCategory category, HttpRequest request) {
    return restricted.missing(category, name -> request.header(name).orElse(null)).isEmpty();
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
