package io.nereid.server.http.route;

import io.nereid.error.StatusCode;
import io.nereid.server.codec.json.JsonResponseWriter;
import io.nereid.server.codec.json.text.TextErrors;

/** The form of an API's failures: which statuses it has, and what its bodies are like. */
public enum ErrorShape {
  /** That of the v2 protocol, as Triton has it. */
  V2,
  /** An object below {@code error}; requests that can never succeed are 400, so not sent again. */
  OPENAI,
  /** That of Hugging Face's text-embeddings-inference. */
  TEI,
  /** What clients of Cohere, vLLM and TEI understand, which send to the same path. */
  RERANK;

  /** The HTTP status of a failure. */
  int status(StatusCode code) {
    return switch (code) {
      case INTERNAL -> this == TEI ? 424 : 500;
      case UNSUPPORTED ->
          switch (this) {
            case V2 -> 501;
            case TEI -> 424;
            case OPENAI, RERANK -> 400;
          };
      case RESOURCE_EXHAUSTED -> 429;
      case UNAVAILABLE -> 503;
      case DEADLINE_EXCEEDED -> 504;
      case NOT_FOUND -> 404;
      case INVALID_ARGUMENT -> this == TEI ? 422 : 400;
      case UNKNOWN, ALREADY_EXISTS, CANCELLED -> 400;
    };
  }

  /** The body of a failure. */
  byte[] body(int status, String message) {
    return switch (this) {
      case V2 -> JsonResponseWriter.error(message);
      case OPENAI -> TextErrors.openAi(status, message);
      case TEI -> TextErrors.tei(status, message);
      case RERANK -> TextErrors.rerank(status, message);
    };
  }
}
