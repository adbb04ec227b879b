package io.nereid.server.http.control;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.control.MessageJson;
import io.nereid.server.codec.protobuf.StatisticsProtoWriter;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.frontend.StatusMessages;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import java.io.IOException;
import java.util.Optional;

/** The handlers of GET: health, metadata, configurations and statistics. */
public record StatusRoutes(RequestAdmission engine, ServerIdentity identity, LongWork longWork) {
  /** Responds 200 if the server could be initialized, else 400. */
  public void live(HttpResponse response) throws IOException {
    HttpResponses.status(response, engine.isLive() ? 200 : 400);
  }

  /** Responds 200 if the server is ready, else 400 with the reason. */
  public void ready(HttpResponse response) throws IOException {
    Optional<String> obstacle = engine.obstacle();
    if (obstacle.isEmpty()) {
      HttpResponses.status(response, 200);
    } else {
      HttpResponses.error(response, 400, obstacle.get());
    }
  }

  /** Responds 200 if the model is ready, else 400. */
  public void ready(Route.OfModel route, HttpResponse response) throws IOException {
    if (engine.isReady(route.model(), route.versionNumber())) {
      HttpResponses.status(response, 200);
    } else {
      HttpResponses.error(response, 400, "Model version not ready");
    }
  }

  public void metadata(HttpResponse response) throws IOException {
    HttpResponses.json(response, MessageJson.of(StatusMessages.server(identity)));
  }

  public void metadata(Route.OfModel route, HttpResponse response) throws IOException {
    HttpResponses.json(
        response,
        MessageJson.of(StatusMessages.model(engine, route.model(), route.versionNumber())));
  }

  public void config(Route.OfModel route, HttpResponse response) throws IOException {
    LoadedModel model = engine.model(route.model(), route.versionNumber());
    HttpResponses.json(response, model.configJson());
  }

  public void statistics(HttpRequest request, HttpResponse response) throws IOException {
    HttpResponses.list(
        request,
        response,
        longWork,
        engine.modelCount(),
        () -> MessageJson.of(StatisticsProtoWriter.write(engine.statistics())));
  }

  public void statistics(Route.OfModel route, HttpResponse response) throws IOException {
    var statistics = engine.statistics(route.model(), route.versionNumber());
    HttpResponses.json(response, MessageJson.of(StatisticsProtoWriter.write(statistics)));
  }
}
