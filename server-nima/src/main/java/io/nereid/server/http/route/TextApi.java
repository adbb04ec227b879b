package io.nereid.server.http.route;

import io.nereid.server.security.ApiCategory;
import java.util.List;

/**
 * The routes of text models, with the paths that their clients have. Behind {@code
 * /v2/models/<model>[/versions/<version>]} the same paths are for that model.
 */
public enum TextApi {
  /** OpenAI's embeddings. */
  EMBEDDINGS(ErrorShape.OPENAI, ApiCategory.INFERENCE),
  /** OpenAI's list of models. */
  MODELS(ErrorShape.OPENAI, ApiCategory.METADATA),
  /** One entry of that list. */
  MODEL(ErrorShape.OPENAI, ApiCategory.METADATA),
  /** Cohere's, Jina's, vLLM's and TEI's rerank. */
  RERANK(ErrorShape.RERANK, ApiCategory.INFERENCE),
  /** VLLM's classification. */
  CLASSIFY(ErrorShape.OPENAI, ApiCategory.INFERENCE),
  /** TEI's embeddings. */
  EMBED(ErrorShape.TEI, ApiCategory.INFERENCE),
  /** TEI's classification. */
  PREDICT(ErrorShape.TEI, ApiCategory.INFERENCE),
  /** TEI's tokens. */
  TOKENIZE(ErrorShape.TEI, ApiCategory.INFERENCE),
  /** TEI's description of the model. */
  INFO(ErrorShape.TEI, ApiCategory.METADATA);

  private static final String ONE_MODEL = "/v1/models/";

  private final ErrorShape errors;
  private final ApiCategory category;

  TextApi(ErrorShape errors, ApiCategory category) {
    this.errors = errors;
    this.category = category;
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
    return switch (path) {
      case "/v1/embeddings" -> new Route.Text(EMBEDDINGS, model, version);
      case "/v1/models" -> new Route.Text(MODELS, model, version);
      case "/rerank", "/v1/rerank", "/v2/rerank" -> new Route.Text(RERANK, model, version);
      case "/classify" -> new Route.Text(CLASSIFY, model, version);
      case "/embed" -> new Route.Text(EMBED, model, version);
      case "/predict" -> new Route.Text(PREDICT, model, version);
      case "/tokenize" -> new Route.Text(TOKENIZE, model, version);
      case "/info" -> new Route.Text(INFO, model, version);
      default -> new Route.Unknown();
    };
  }
}
