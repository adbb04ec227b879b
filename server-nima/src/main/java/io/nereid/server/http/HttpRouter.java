package io.nereid.server.http;

import io.nereid.error.InferenceException;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The handler of all requests: finds the route of a path and turns failures into responses. */
final class HttpRouter implements HttpHandler {
  private static final System.Logger LOG = System.getLogger(HttpRouter.class.getName());

  private static final List<String> GET = List.of("GET");
  private static final List<String> POST = List.of("POST");
  private static final List<String> GET_AND_POST = List.of("GET", "POST");

  private final CorsOrigins origins;
  private final RestrictedApis restricted;
  private final StatusRoutes status;
  private final InferRoutes infer;
  private final GenerateRoutes generate;
  private final RepositoryRoutes repository;
  private final SharedMemoryRoutes sharedMemory;
  private final SettingRoutes settings;

  HttpRouter(
      CorsOrigins origins,
      RestrictedApis restricted,
      StatusRoutes status,
      InferRoutes infer,
      GenerateRoutes generate,
      RepositoryRoutes repository,
      SharedMemoryRoutes sharedMemory,
      SettingRoutes settings) {
    this.origins = origins;
    this.restricted = restricted;
    this.status = status;
    this.infer = infer;
    this.generate = generate;
    this.repository = repository;
    this.sharedMemory = sharedMemory;
    this.settings = settings;
  }

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
        restricted.missing(categoryOf(route), name -> request.header(name).orElse(null));
    if (missing.isPresent()) {
      HttpResponses.error(
          response, 403, "This API is restricted, expecting header '%s'".formatted(missing.get()));
      return;
    }
    List<String> methods = methodsOf(route);
    if (!methods.contains(request.method())) {
      methodNotAllowed(response, String.join(", ", methods));
      return;
    }
    try {
      dispatch(route, request, response);
    } catch (InferenceException failure) {
      HttpResponses.error(response, failure);
    } catch (RuntimeException bug) {
      LOG.log(System.Logger.Level.ERROR, "request failed unexpectedly: " + route, bug);
      if (response.isSent()) {
        throw bug; // the connection is closed
      }
      HttpResponses.error(response, InferenceException.unexpected(bug));
    }
  }

  private static void methodNotAllowed(HttpResponse response, String allowed) throws IOException {
    HttpResponses.error(response.header("Allow", allowed), 405, "Method Not Allowed");
  }

  private static ApiCategory categoryOf(Route route) {
    return switch (route) {
      case Route.Live(), Route.Ready() -> ApiCategory.HEALTH;
      case Route.ServerMetadata() -> ApiCategory.METADATA;
      case Route.Statistics() -> ApiCategory.STATISTICS;
      case Route.RepositoryIndex(), Route.ModelControl _ -> ApiCategory.MODEL_REPOSITORY;
      case Route.SharedMemory _ -> ApiCategory.SHARED_MEMORY;
      case Route.TraceSettings _ -> ApiCategory.TRACE;
      case Route.LogSettings() -> ApiCategory.LOGGING;
      case Route.OfModel model ->
          switch (model.resource()) {
            case METADATA -> ApiCategory.METADATA;
            case READY -> ApiCategory.HEALTH;
            case CONFIG -> ApiCategory.MODEL_CONFIG;
            case STATS -> ApiCategory.STATISTICS;
            case INFER, GENERATE, GENERATE_STREAM -> ApiCategory.INFERENCE;
          };
      case Route.Unknown() -> throw new AssertionError("404 was sent");
    };
  }

  private static List<String> methodsOf(Route route) {
    return switch (route) {
      case Route.RepositoryIndex(), Route.ModelControl _ -> POST;
      case Route.LogSettings(), Route.TraceSettings _ -> GET_AND_POST;
      case Route.OfModel model ->
          switch (model.resource()) {
            case INFER, GENERATE, GENERATE_STREAM -> POST;
            case METADATA, READY, CONFIG, STATS -> GET;
          };
      case Route.SharedMemory memory ->
          switch (memory.action()) {
            case REGISTER, UNREGISTER -> POST;
            case STATUS -> GET;
          };
      case Route.ServerMetadata(),
          Route.Live(),
          Route.Ready(),
          Route.Statistics(),
          Route.Unknown() ->
          GET;
    };
  }

  private void dispatch(Route route, HttpRequest request, HttpResponse response)
      throws IOException {
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
          case GENERATE -> generate.generate(model, request, response);
          case GENERATE_STREAM -> generate.stream(model, request, response);
        }
      }
      case Route.TraceSettings trace -> settings.trace(trace, request, response);
      case Route.LogSettings() -> settings.log(request, response);
      case Route.RepositoryIndex() -> repository.index(request, response);
      case Route.ModelControl control -> {
        switch (control.action()) {
          case LOAD -> repository.load(control, request, response);
          case UNLOAD -> repository.unload(control, request, response);
        }
      }
      case Route.SharedMemory memory -> {
        switch (memory.action()) {
          case STATUS -> sharedMemory.status(memory, response);
          case REGISTER -> sharedMemory.register(memory, request, response);
          case UNREGISTER -> sharedMemory.unregister(memory, response);
        }
      }
      case Route.Unknown() -> throw new AssertionError("404 was sent");
    }
  }
}
