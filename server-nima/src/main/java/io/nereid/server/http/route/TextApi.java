package io.nereid.server.http.route;

import io.nereid.server.security.ApiCategory;
import java.util.List;
import java.util.Optional;

/**
 * The routes of text models, with the paths that their clients have. Behind {@code
 * /v2/models/<model>[/versions/<version>]} the same paths are for that model.
 */
public enum TextApi {
  /** OpenAI's embeddings. */
  EMBEDDINGS(ErrorShape.OPENAI, ApiCategory.INFERENCE, "/v1/embeddings"),
  /** OpenAI's list of models. */
  MODELS(ErrorShape.OPENAI, ApiCategory.METADATA, "/v1/models"),
  /** One entry of that list. */
  MODEL(ErrorShape.OPENAI, ApiCategory.METADATA),
  /** Cohere's, Jina's, vLLM's and TEI's rerank. */
  RERANK(ErrorShape.RERANK, ApiCategory.INFERENCE, "/rerank", "/v1/rerank", "/v2/rerank"),
  /** VLLM's classification. */
  CLASSIFY(ErrorShape.OPENAI, ApiCategory.INFERENCE, "/classify"),
  /** TEI's embeddings. */
  EMBED(ErrorShape.TEI, ApiCategory.INFERENCE, "/embed"),
  /** TEI's classification. */
  PREDICT(ErrorShape.TEI, ApiCategory.INFERENCE, "/predict"),
  /** TEI's tokens. */
  TOKENIZE(ErrorShape.TEI, ApiCategory.INFERENCE, "/tokenize"),
  /** TEI's description of the model. */
  INFO(ErrorShape.TEI, ApiCategory.METADATA, "/info");

  private static final String ONE_MODEL = "/v1/models/";

  private final ErrorShape errors;
  private final ApiCategory category;
  private final List<String> paths;

  TextApi(ErrorShape errors, ApiCategory category, String... paths) {
    this.errors = errors;
    this.category = category;
    this.paths = List.of(paths);
  }

  ErrorShape errors() {
    return errors;
  }

  ApiCategory category() {
    return category;
  }

  List<String> methods() {
    return category == ApiCategory.INFERENCE ? Route.POST : Route.GET;
  }

  /** The route of a path that names a model in OpenAI's way, or none. */
  static Route route(String path) {
    return path.startsWith(ONE_MODEL) && path.length() > ONE_MODEL.length()
        ? new Route.Text(MODEL, Route.decode(path.substring(ONE_MODEL.length())), "")
        : route(path, "", "");
  }

  /**
   * The route of a path.
   *
   * @param model empty if the path names none
   */
  static Route route(String path, String model, String version) {
    Optional<TextApi> found = Optional.empty();
    for (TextApi api : values()) {
      if (api.paths.contains(path)) {
        found = Optional.of(api);
      }
    }
    return found
        .<Route>map(api -> new Route.Text(api, model, version))
        .orElseGet(Route.Unknown::new);
  }
}
