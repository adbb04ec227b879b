package io.nereid.server.http.text;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.JsonParts;
import io.nereid.server.codec.json.text.ModelInfoWriter;
import io.nereid.server.codec.json.text.ServedTextModel;
import io.nereid.server.codec.json.text.TextBody;
import io.nereid.server.codec.json.text.TextQuestion;
import io.nereid.server.codec.json.text.TextResponseWriter;
import io.nereid.server.codec.json.text.TextTask;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.body.ContentEncoding;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.inference.HttpInference;
import io.nereid.server.http.inference.RoutedInference;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import io.nereid.server.http.route.TextApi;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** The handlers of the routes of text models. Runs on the connection's virtual thread. */
public final class TextRoutes {
  private static final String CONTENT_TYPE = "Content-Type";
  private static final String JSON = "application/json";

  /** The size of the text of a response from which it is sent in parts. */
  private static final long LARGE = 64 << 10;

  private final HttpInference requests;
  private final TextModels models;
  private final BodyDecoder bodyDecoder;
  private final BufferPool pool;
  private final long maxInputSize;
  private final PartedResponses parted;
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
    this.bodyDecoder = bodyDecoder;
    this.pool = pool;
    this.maxInputSize = maxInputSize;
    this.parted = parted;
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

  long maxInputSize() {
    return maxInputSize;
  }

  /**
   * Reads and checks a whole body.
   *
   * @return owned by the caller
   */
  TextBody read(HttpRequest request, HttpResponse response) throws IOException {
    Lease body = bodyDecoder.readDocument(request, response, memory(request, pool));
    return requests
        .longWork()
        .call(request.client(), body.segment().byteSize(), () -> TextBody.parse(body));
  }

  /** What the client of a request may have of a pool. */
  LeaseSource memory(HttpRequest request, BufferPool from) {
    return bodyDecoder.memory(request, from);
  }

  /**
   * Sends a response: a short one at once, a long one in parts. Never compressed: vectors have
   * little to gain.
   */
  void send(RoutedInference inference, TextResponseWriter writer, TextQuestion asked)
      throws IOException {
    HttpResponse response = inference.response();
    long textBytes = asked.answer().needsBody() ? asked.textBytes() : 0;
    long expected = writer.expectedSize(textBytes);
    if (expected < LARGE) {
      var sink = new ByteSink(1024 + (int) expected);
      writer.parts(asked.answer()).writeAll(sink);
      response.header(CONTENT_TYPE, JSON).send(sink.array(), sink.size(), List.of());
      return;
    }
    JsonParts parts = parted.parts(inference.request(), () -> writer.parts(asked.answer()));
    parted.send(
        inference.request(),
        response,
        () -> response.header(CONTENT_TYPE, JSON),
        parts,
        writer.outputBytes() + textBytes,
        ContentEncoding.IDENTITY);
    response.endParts();
  }

  public void handle(Route.Text route, HttpRequest request, HttpResponse response)
      throws IOException {
    switch (route.api()) {
      case MODELS -> HttpResponses.json(response, list());
      case MODEL -> HttpResponses.json(response, model(route, request));
      case INFO -> HttpResponses.json(response, info(route, request));
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
    boolean isAllowed = restricted.missing(ApiCategory.METADATA, request::header).isEmpty();
    return isAllowed ? "; the text models are " + models.all().keySet() : "";
  }
}
