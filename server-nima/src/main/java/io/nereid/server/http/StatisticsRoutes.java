package io.nereid.server.http;

import io.helidon.webserver.http.ServerResponse;
import io.nereid.server.codec.json.StatisticsJsonWriter;
import io.nereid.server.engine.InferenceEngine;

/** What models have done so far. */
final class StatisticsRoutes {
  private final InferenceEngine engine;

  StatisticsRoutes(InferenceEngine engine) {
    this.engine = engine;
  }

  void all(ServerResponse response) {
    HttpReply.json(response, 200, StatisticsJsonWriter.write(engine.statistics()));
  }

  void model(Route.OfModel route, ServerResponse response) {
    HttpReply.json(
        response,
        200,
        StatisticsJsonWriter.write(engine.statistics(route.model(), route.versionNumber())));
  }
}
