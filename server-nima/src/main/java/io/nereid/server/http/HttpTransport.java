package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.LoadReports;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.security.ListenerSecurity;

/** The REST protocol on a listener of HTTP. */
public final class HttpTransport {
  private HttpTransport() {}

  /** A listener that is to start. */
  public static HttpListener listener(
      HttpSettings settings, ListenerSecurity security, FrontEndServices services) {
    RequestAdmission engine = services.engine();
    BufferPool pool = services.pool();
    SharedRegions regions = services.regions();
    RuntimeSettings runtime = services.runtime();
    LongWork longWork = services.longWork();
    long maxInputSize = settings.maxInputSize();
    var refusals = new Refusals<>(HttpRefusal.class, settings.listener().name(), System::nanoTime);
    var bodies = new BodyDecoder(maxInputSize, services.requestMemory(), longWork);
    var limit = new InFlightLimit(settings.maxRequests(), refusals);
    var requests =
        new ClientRequests(
            engine, runtime.tracer(), settings.clientHeader(), settings.forwarding());
    var unforwarded = new HttpInference(requests.withoutForwarding(), limit, longWork);
    var router =
        new HttpRouter(
            settings.origins(),
            security.restrictedApis(),
            new LoadReports(services.load()),
            new StatusRoutes(engine, services.identity(), longWork),
            new InferRoutes(
                new HttpInference(requests, limit, longWork),
                pool,
                regions,
                security.restrictedApis(),
                maxInputSize,
                bodies,
                services.requestMemory()),
            new GenerateRoutes(unforwarded, pool, maxInputSize, bodies, services.requestMemory()),
            new RepositoryRoutes(
                services.models(), pool, maxInputSize, bodies, services.requestMemory(), longWork),
            new SharedMemoryRoutes(regions, pool, maxInputSize, bodies, longWork),
            new SettingRoutes(engine, runtime, pool, maxInputSize, bodies));
    HttpHandler handler =
        runtime.accessLog().<HttpHandler>map(log -> new LoggedRequests(log, router)).orElse(router);
    return HttpListener.of(settings.listener(), security.tls(), refusals, handler);
  }
}
