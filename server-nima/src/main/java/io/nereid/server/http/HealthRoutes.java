package io.nereid.server.http;

import io.helidon.webserver.http.ServerResponse;
import io.nereid.server.engine.InferenceEngine;

/** Liveness and readiness: 200 is yes, 400 is no. */
final class HealthRoutes {
  private final InferenceEngine engine;

  HealthRoutes(InferenceEngine engine) {
    this.engine = engine;
  }

  /** A server that answers is alive. */
  void live(ServerResponse response) {
    HttpReply.status(response, 200);
  }

  void ready(ServerResponse response) {
    HttpReply.status(response, engine.isReady() ? 200 : 400);
  }

  void modelReady(Route.OfModel route, ServerResponse response) {
    if (engine.isReady(route.model(), route.versionNumber())) {
      HttpReply.status(response, 200);
    } else {
      HttpReply.error(response, 400, "Model version not ready");
    }
  }
}
