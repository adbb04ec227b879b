package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.GenerateRequestReader;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.console.ConsoleRoutes;
import io.nereid.server.http.control.RepositoryRoutes;
import io.nereid.server.http.control.SettingRoutes;
import io.nereid.server.http.control.SharedMemoryRoutes;
import io.nereid.server.http.control.StatusRoutes;
import io.nereid.server.http.inference.GenerateRoutes;
import io.nereid.server.http.inference.HttpInference;
import io.nereid.server.http.inference.InFlightLimit;
import io.nereid.server.http.inference.InferResponses;
import io.nereid.server.http.inference.InferRoutes;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.text.TextRoutes;
import io.nereid.server.security.ListenerSecurity;
import java.util.Optional;

/** The REST protocol on a listener of HTTP. */
public final class HttpTransport {
  private HttpTransport() {}

  /** A listener that is to start. */
  public static HttpListener listener(
      HttpSettings settings,
      ListenerSecurity security,
      FrontEndServices services,
      Optional<ConsoleRoutes> console) {
    RequestAdmission engine = services.engine();
    BufferPool pool = services.memory().pool();
    SharedRegions regions = services.memory().regions();
    RuntimeSettings runtime = services.runtime();
    LongWork longWork = services.longWork();
    long maxInputSize = settings.maxInputSize();
    var refusals = new Refusals<>(HttpRefusal.class, settings.listener().name(), System::nanoTime);
    RequestMemory memory = services.memory().requests();
    var bodies = new BodyDecoder(maxInputSize, memory, longWork);
    var limit = new InFlightLimit(settings.maxRequests(), refusals);
    var requests =
        new ClientRequests(
            engine, runtime.tracer(), settings.clientHeader(), settings.forwarding());
    var forwarded = new HttpInference(requests, limit, longWork);
    var unforwarded = new HttpInference(requests.withoutForwarding(), limit, longWork);
    var parted = new PartedResponses(pool, memory, longWork);
    var routes =
        new HttpRouter.Routes(
            new StatusRoutes(engine, services.identity(), longWork),
            new InferRoutes(
                forwarded,
                pool,
                regions,
                security.restrictedApis(),
                maxInputSize,
                bodies,
                new InferResponses(pool, memory, parted)),
            new GenerateRoutes(
                unforwarded, new GenerateRequestReader(maxInputSize), bodies, memory, parted),
            settings.hasTextApi()
                ? Optional.of(
                    new TextRoutes(
                        forwarded,
                        bodies,
                        pool,
                        maxInputSize,
                        parted,
                        security.restrictedApis(),
                        services.identity().version()))
                : Optional.empty(),
            new RepositoryRoutes(services.models(), pool, bodies, memory, longWork),
            new SharedMemoryRoutes(regions, pool, bodies, longWork),
            new SettingRoutes(engine, runtime.log(), runtime.tracer(), pool, bodies));
    var router =
        new HttpRouter(
            settings.origins(),
            security.restrictedApis(),
            new LoadReports(services.load()),
            routes,
            console);
    HttpHandler handler =
        runtime.accessLog().<HttpHandler>map(log -> new LoggedRequests(log, router)).orElse(router);
    return HttpListener.of(settings.listener(), security.tls(), refusals, handler);
  }
}
