package io.nereid.server.http.text;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.json.text.ModelInfoWriter;
import io.nereid.server.codec.json.text.ServedTextModel;
import io.nereid.server.codec.json.text.TextTask;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.inference.HttpInference;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.server.http.route.TextApi;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.Set;

/** The handlers of the routes of text models. Runs on the connection's virtual thread. */
public final class TextRoutes {
  private final HttpInference requests;
  private final TextModels models;
  private final TextBodies bodies;
  private final TextResponses responses;
  private final RestrictedApis restricted;
  private final String version;

  /** In seconds since 1970, which OpenAI's list has for each model. */
  private final long created = System.currentTimeMillis() / 1000;

  /**
   * The routes.
   *
   * @param pool of bodies
   * @param maxInputSize {@code --http-max-input-size}
   * @param version the server's
   */
  public TextRoutes(
      HttpInference requests,
      BodyDecoder bodyDecoder,
      BufferPool pool,
      long maxInputSize,
      PartedResponses parted,
      RestrictedApis restricted,
      String version) {
    this.requests = requests;
    this.models = new TextModels(engine(requests));
    this.bodies = new TextBodies(bodyDecoder, pool, requests.longWork(), maxInputSize);
    this.responses = new TextResponses(parted);
    this.restricted = restricted;
    this.version = version;
  }

  private static RequestAdmission engine(HttpInference requests) {
    return requests.requests().engine();
  }

  HttpInference requests() {
    return requests;
  }

  TextModels models() {
    return models;
  }

  TextBodies bodies() {
    return bodies;
  }

  TextResponses responses() {
    return responses;
  }

  public void handle(Route.Text route, HttpRequest request, HttpResponse response)
      throws IOException {
    switch (route.api()) {
      case MODELS -> HttpResponses.json(response, 200, list());
      case MODEL -> HttpResponses.json(response, 200, model(route, request));
      case INFO -> HttpResponses.json(response, 200, info(route, request));
      case EMBEDDINGS, EMBED, RERANK, CLASSIFY, PREDICT, TOKENIZE -> {
        try (var call = new TextCall(this, route)) {
          requests.serve(call::find, request, response, call::decode, call::receive);
        }
      }
    }
  }

  private byte[] list() {
    return ModelInfoWriter.list(models.all().keySet(), created);
  }

  private byte[] model(Route.Text route, HttpRequest request) {
    if (!models.all().containsKey(route.model())) {
      throw notFound("'%s' is no text model".formatted(route.model()), request);
    }
    return ModelInfoWriter.model(route.model(), created);
  }

  private byte[] info(Route.Text route, HttpRequest request) {
    Set<TextTask> any = TextCall.tasks(TextApi.INFO);
    Route.OfModel found = find(route.model(), route.version(), any, request);
    ServedTextModel model =
        models.of(engine(requests).model(found.model(), found.versionNumber()), any);
    return ModelInfoWriter.info(model, requests.limit().max(), version);
  }

  /**
   * The route of a model.
   *
   * @param name empty for the only one of some tasks
   * @param modelVersion digits; empty for the newest
   * @throws InferenceException NOT_FOUND with the names that there are
   */
  Route.OfModel find(String name, String modelVersion, Set<TextTask> tasks, HttpRequest request) {
    String found = name.isEmpty() ? only(tasks, request) : name;
    var route = new Route.OfModel(found, modelVersion, Route.Resource.INFER);
    try {
      var _ = engine(requests).model(found, route.versionNumber());
    } catch (InferenceException failure) {
      throw failure.code() == StatusCode.NOT_FOUND
          ? notFound(failure.getMessage(), request)
          : failure;
    }
    return route;
  }

  private String only(Set<TextTask> tasks, HttpRequest request) {
    try {
      return models.only(tasks);
    } catch (InferenceException none) {
      String message = none.getMessage() + names(request);
      throw new InferenceException(none.code(), message);
    }
  }

  private InferenceException notFound(String message, HttpRequest request) {
    return InferenceException.notFound(message + names(request));
  }

  /** The text models that there are, for clients that may list models. */
  private String names(HttpRequest request) {
    boolean isAllowed =
        restricted
            .missing(ApiCategory.METADATA, name -> request.header(name).orElse(null))
            .isEmpty();
    return isAllowed ? "; the text models are " + models.all().keySet() : "";
  }
}
