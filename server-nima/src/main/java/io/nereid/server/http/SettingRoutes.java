package io.nereid.server.http;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.telemetry.trace.TraceOverrides;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.server.codec.json.LogSettingsReader;
import io.nereid.server.codec.json.LogSettingsWriter;
import io.nereid.server.codec.json.TraceSettingsReader;
import io.nereid.server.codec.json.TraceSettingsWriter;
import io.nereid.server.frontend.RuntimeSettings;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.telemetry.logging.LogControl;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * The handlers of settings that change while the server runs: GET reads them, POST changes and
 * reads them.
 */
final class SettingRoutes {
  private final RequestAdmission engine;
  private final LogControl log;
  private final Tracer tracer;
  private final BufferPool pool;
  private final BodyDecoder bodyDecoder;
  private final LogSettingsReader logReader;
  private final TraceSettingsReader traceReader;

  SettingRoutes(
      RequestAdmission engine,
      RuntimeSettings runtime,
      BufferPool pool,
      long maxInputSize,
      BodyDecoder bodyDecoder) {
    this.engine = engine;
    this.log = runtime.log();
    this.tracer = runtime.tracer();
    this.pool = pool;
    this.bodyDecoder = bodyDecoder;
    this.logReader = new LogSettingsReader(maxInputSize);
    this.traceReader = new TraceSettingsReader(maxInputSize);
  }

  void log(HttpRequest request, HttpResponse response) throws IOException {
    if (request.method().equals("POST")) {
      try (Lease body = bodyDecoder.readPlain(request, response, pool)) {
        logReader.apply(body.segment(), log);
      }
    }
    HttpResponses.json(response, 200, LogSettingsWriter.write(log.settings()));
  }

  /** Settings of the server, or those of a model. */
  void trace(Route.TraceSettings route, HttpRequest request, HttpResponse response)
      throws IOException {
    String model = route.model();
    if (!model.isEmpty()) {
      engine.requireReady(model);
    }
    if (request.method().equals("POST")) {
      UnaryOperator<TraceOverrides> change;
      try (Lease body = bodyDecoder.readPlain(request, response, pool)) {
        change = traceReader.change(body.segment());
      }
      if (model.isEmpty()) {
        tracer.change(change);
      } else {
        tracer.change(model, change);
      }
    }
    HttpResponses.json(
        response,
        200,
        TraceSettingsWriter.write(model.isEmpty() ? tracer.settings() : tracer.settings(model)));
  }
}
