package io.nereid.server.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.server.engine.InferenceEngine;
import io.nereid.server.engine.ServerIdentity;
import io.nereid.server.model.LoadedModel;
import io.nereid.tensor.TensorSpec;
import java.util.List;

/** What the server and its models say of themselves. */
final class MetadataRoutes {
  private final InferenceEngine engine;
  private final String server;

  MetadataRoutes(InferenceEngine engine, ServerIdentity identity) {
    this.engine = engine;
    var body = new JsonObject();
    body.addProperty("name", identity.name());
    body.addProperty("version", identity.version());
    body.add("extensions", strings(identity.extensions()));
    this.server = body.toString();
  }

  void server(ServerResponse response) {
    HttpReply.json(response, 200, server);
  }

  void model(Route.OfModel route, ServerResponse response) {
    LoadedModel model = engine.model(route.model(), route.versionNumber());
    var body = new JsonObject();
    body.addProperty("name", model.key().name());
    body.add(
        "versions",
        strings(
            engine.readyVersions(route.model(), route.versionNumber()).stream()
                .map(String::valueOf)
                .toList()));
    body.addProperty("platform", model.platform());
    body.add("inputs", tensors(model.config().inputSpecs()));
    body.add("outputs", tensors(model.config().outputSpecs()));
    HttpReply.json(response, 200, body.toString());
  }

  void config(Route.OfModel route, ServerResponse response) {
    HttpReply.json(response, 200, engine.model(route.model(), route.versionNumber()).configJson());
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
