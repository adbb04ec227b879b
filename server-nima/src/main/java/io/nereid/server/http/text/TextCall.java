package io.nereid.server.http.text;

import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.server.codec.json.text.ServedTextModel;
import io.nereid.server.codec.json.text.TextBody;
import io.nereid.server.codec.json.text.TextLimits;
import io.nereid.server.codec.json.text.TextQuestion;
import io.nereid.server.codec.json.text.TextRequestReader;
import io.nereid.server.codec.json.text.TextResponseWriter;
import io.nereid.server.codec.json.text.TextTask;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.inference.RoutedInference;
import io.nereid.server.http.route.Route;
import io.nereid.server.http.route.TextApi;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to a text model: what {@link io.nereid.server.http.inference.HttpInference} is told of
 * it, one step after another. Owns the body. Used by the connection's thread.
 */
final class TextCall implements AutoCloseable {
  private final TextRoutes routes;
  private final Route.Text route;
  private @Nullable TextBody body;
  private @Nullable ServedTextModel model;
  private @Nullable TextQuestion asked;

  TextCall(TextRoutes routes, Route.Text route) {
    this.routes = routes;
    this.route = route;
  }

  /** The tasks of which a model can answer. */
  static Set<TextTask> tasks(TextApi api) {
    return switch (api) {
      case EMBEDDINGS, EMBED -> EnumSet.of(TextTask.EMBEDDING);
      case RERANK -> EnumSet.of(TextTask.RERANK);
      case CLASSIFY -> EnumSet.of(TextTask.CLASSIFY);
      case PREDICT -> EnumSet.of(TextTask.CLASSIFY, TextTask.RERANK);
      case TOKENIZE, INFO, MODELS, MODEL -> EnumSet.allOf(TextTask.class);
    };
  }

  /** Reads the body, and finds the model by the path, by the body, or as the only one. */
  Route.OfModel find(HttpRequest request, HttpResponse response) throws IOException {
    TextBody read = routes.read(request, response);
    body = read;
    String named = route.model().isEmpty() ? read.string("model").orElse("") : route.model();
    return routes.find(named, route.version(), tasks(route.api()), request);
  }

  /** Makes the texts of the body a batch of the model. */
  DecodedRequest decode(LoadedModel loaded, HttpRequest request, HttpResponse response)
      throws IOException {
    TextBody read = Objects.requireNonNull(body);
    ServedTextModel found = routes.models().of(loaded, tasks(route.api()));
    model = found;
    TextLimits limits = found.limits(routes.maxInputSize());
    LeaseSource memory = routes.memory(request, loaded.inputPool());
    DecodedRequest decoded =
        routes
            .requests()
            .longWork()
            .call(
                request.client(),
                read.byteSize(),
                () -> {
                  TextQuestion made = read(new TextRequestReader(read, found, limits));
                  asked = made;
                  return made.decoded(found, limits, memory);
                });
    if (!Objects.requireNonNull(asked).answer().needsBody()) {
      read.close();
    }
    return decoded;
  }

  private TextQuestion read(TextRequestReader reader) {
    return switch (route.api()) {
      case EMBEDDINGS -> reader.embeddings();
      case EMBED -> reader.vectors();
      case RERANK -> reader.rerank();
      case CLASSIFY -> reader.classes();
      case PREDICT -> reader.predictions();
      case TOKENIZE -> reader.tokens();
      case INFO, MODELS, MODEL -> throw new AssertionError("not of inference: " + route);
    };
  }

  /** Waits for the model's response, and sends what it is in the API. */
  void receive(RoutedInference inference) throws IOException {
    TextQuestion made = Objects.requireNonNull(asked);
    try (InferenceResponse response = inference.awaitResponse()) {
      var writer =
          new TextResponseWriter(Objects.requireNonNull(model), response, made.texts().count());
      inference.telemetry().reached(TracePoint.HTTP_SEND_START);
      routes.send(inference, writer, made);
      inference.telemetry().reached(TracePoint.HTTP_SEND_END);
    }
  }

  @Override
  public void close() {
    if (body != null) {
      body.close();
    }
  }
}
