package io.nereid.server.http;

import io.nereid.server.codec.json.LogSettingsReader;
import io.nereid.server.codec.json.LogSettingsWriter;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.server.telemetry.logging.LogControl;
import java.io.IOException;
import java.util.OptionalInt;

/**
 * The handlers of settings that change while the server runs: GET reads them, POST changes and
 * reads them. An empty body changes nothing.
 */
final class SettingRoutes {
  private final LogControl log;
  private final BufferPool pool;
  private final BodyDecoder bodyDecoder;
  private final LogSettingsReader logReader;

  SettingRoutes(LogControl log, BufferPool pool, long maxInputSize, BodyDecoder bodyDecoder) {
    this.log = log;
    this.pool = pool;
    this.bodyDecoder = bodyDecoder;
    this.logReader = new LogSettingsReader(maxInputSize);
  }

  void log(HttpRequest request, HttpResponse response) throws IOException {
    if (request.method().equals("POST")) {
      try (Lease body = bodyDecoder.read(request, response, OptionalInt.empty(), pool)) {
        logReader.apply(body.segment(), log);
      }
    }
    HttpResponses.json(response, 200, LogSettingsWriter.write(log.settings()));
  }
}
