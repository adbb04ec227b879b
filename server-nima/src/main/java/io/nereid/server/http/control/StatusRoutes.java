package io.nereid.server.http.control;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.control.StatisticsJsonWriter;
import io.nereid.server.frontend.ServerIdentity;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.tensor.TensorSpec;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The handlers of GET: health, metadata, configurations and statistics. */
public final class StatusRoutes {
  private final RequestAdmission engine;
  private final LongWork longWork;
  private final String server;

  public StatusRoutes(RequestAdmission engine, ServerIdentity identity, LongWork longWork) {
    this.engine = engine;
    this.longWork = longWork;
    var body = new JsonObject();
    body.addProperty("name", identity.name());
    body.addProperty("version", identity.version());
    body.add("extensions", strings(identity.extensions()));
    this.server = body.toString();
  }

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
    HttpResponses.json(response, server);
  }

  public void metadata(Route.OfModel route, HttpResponse response) throws IOException {
    LoadedModel model = engine.model(route.model(), route.versionNumber());
    List<String> versions =
        engine.readyVersions(route.model(), route.versionNumber()).stream()
            .map(String::valueOf)
            .toList();
    var body = new JsonObject();
    body.addProperty("name", model.key().name());
    body.add("versions", strings(versions));
    body.addProperty("platform", model.platform());
    body.add("inputs", tensors(model.config().inputSpecs()));
    body.add("outputs", tensors(model.config().outputSpecs()));
    HttpResponses.json(response, body.toString());
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
        () -> StatisticsJsonWriter.write(engine.statistics()));
  }

  public void statistics(Route.OfModel route, HttpResponse response) throws IOException {
    var statistics = engine.statistics(route.model(), route.versionNumber());
    HttpResponses.json(response, 200, StatisticsJsonWriter.write(statistics));
  }

  private static JsonArray strings(List<String> values) {
    var array = new JsonArray();
    values.forEach(array::add);
    return array;
  }

  private static JsonArray tensors(List<TensorSpec> specs) {
    var array = new JsonArray();
    for (TensorSpec spec : specs) {
      var tensor = new JsonObject();
      tensor.addProperty("name", spec.name());
      tensor.addProperty("datatype", spec.dataType().name());
      var shape = new JsonArray();
      for (long dim : spec.shape().dims()) {
        shape.add(dim);
      }
      tensor.add("shape", shape);
      array.add(tensor);
    }
    return array;
  }
}
