package io.nereid.server.http.control;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.server.codec.json.control.LogSettingsJson;
import io.nereid.server.codec.json.control.TraceSettingsJson;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.server.telemetry.logging.LogControl;
import java.io.IOException;

/**
 * The handlers of settings that change while the server runs: GET reads them, POST changes and
 * reads them.
 */
public record SettingRoutes(
    RequestAdmission engine,
    LogControl log,
    Tracer tracer,
    BufferPool pool,
    BodyDecoder bodyDecoder) {
  public void log(HttpRequest request, HttpResponse response) throws IOException {
    if (request.method().equals("POST")) {
      var _ =
          bodyDecoder.readPlain(request, response, pool, body -> LogSettingsJson.apply(body, log));
    }
    HttpResponses.json(response, LogSettingsJson.write(log.settings()));
  }

  /** Settings of the server, or those of a model. */
  public void trace(Route.TraceSettings route, HttpRequest request, HttpResponse response)
      throws IOException {
    String model = route.model();
    if (!model.isEmpty()) {
      engine.requireReady(model);
    }
    if (request.method().equals("POST")) {
      tracer.change(
          model, bodyDecoder.readPlain(request, response, pool, TraceSettingsJson::change)::apply);
    }
    HttpResponses.json(response, TraceSettingsJson.write(tracer.settings(model)));
  }
}
