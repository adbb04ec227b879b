package io.nereid.server.http;

import io.nereid.server.codec.LongWork;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.RuntimeSettings;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.limits.Refusal;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.RequestMemory;
import io.nereid.server.memory.region.SharedRegions;
import io.nereid.server.model.control.ModelControl;
import io.nereid.server.security.ListenerSecurity;
import io.nereid.server.telemetry.refusal.Refusals;
import java.io.IOException;

/** The REST protocol on a listener of HTTP. */
public final class HttpTransport {
  private HttpTransport() {}

  /**
   * Starts to listen.
   *
   * @param pool of bodies that no model has memory for
   * @throws IOException if the address cannot be bound
   */
  public static HttpListener start(
      HttpSettings settings,
      ListenerSecurity security,
      InferenceEngine engine,
      ModelControl models,
      RuntimeSettings runtime,
      ServerIdentity identity,
      BufferPool pool,
      RequestMemory memory,
      SharedRegions regions,
      LongWork longWork)
      throws IOException {
    long maxInputSize = settings.maxInputSize();
    var refusals = new Refusals<>(Refusal.class, settings.listener().name(), System::nanoTime);
    var bodies = new BodyDecoder(maxInputSize, memory, longWork);
    var limit = new RequestLimit(settings.maxRequests(), refusals);
    var router =
        new HttpRouter(
            settings.origins(),
            security.restrictedApis(),
            new StatusRoutes(engine, identity),
            new InferRoutes(
                engine,
                pool,
                regions,
                maxInputSize,
                bodies,
                settings.forwarding(),
                limit,
                longWork,
                runtime.tracer()),
            new GenerateRoutes(
                engine, maxInputSize, bodies, memory, limit, longWork, runtime.tracer()),
            new RepositoryRoutes(models, pool, maxInputSize, bodies),
            new SharedMemoryRoutes(regions, pool, maxInputSize, bodies),
            new SettingRoutes(engine, runtime, pool, maxInputSize, bodies));
    HttpHandler handler =
        runtime.accessLog().<HttpHandler>map(log -> new LoggedRequests(log, router)).orElse(router);
    return HttpListener.start(settings.listener(), security.tls(), refusals, handler);
  }
}
