package io.nereid.server.codec.json.text;

import io.nereid.server.codec.ByteSink;
import io.nereid.server.codec.json.document.JsonText;

/** A writer of failures, as the APIs of text models have them. */
public final class TextErrors {
  private TextErrors() {}

  /** OpenAI's: an object below {@code error}, without which its libraries find no message. */
  public static byte[] openAi(int status, String message) {
    String code =
        switch (status) {
          case 404 -> "\"model_not_found\"";
          case 429 -> "\"rate_limit_exceeded\"";
          default -> "null";
        };
    String type =
        switch (status) {
          case 429 -> "requests";
          case 500, 503, 504 -> "server_error";
          default -> "invalid_request_error";
        };
    var sink = new ByteSink(message.length() + 128);
    sink.putAscii("{\"error\":{\"message\":");
    JsonText.putString(sink, message);
    sink.putAscii(",\"type\":\"" + type + "\",\"param\":null,\"code\":" + code + "}}");
    return sink.toByteArray();
  }

  /** TEI's: message and kind. */
  public static byte[] tei(int status, String message) {
    ByteSink sink = tei(new ByteSink(message.length() + 64), status, message);
    sink.put('}');
    return sink.toByteArray();
  }

  /** TEI's and Cohere's at once. */
  public static byte[] rerank(int status, String message) {
    ByteSink sink = tei(new ByteSink(2 * message.length() + 64), status, message);
    sink.putAscii(",\"message\":");
    JsonText.putString(sink, message);
    sink.put('}');
    return sink.toByteArray();
  }

  private static ByteSink tei(ByteSink sink, int status, String message) {
    String kind =
        switch (status) {
          case 424, 500, 504 -> "Backend";
          case 429 -> "Overloaded";
          case 503 -> "Unhealthy";
          default -> "Validation";
        };
    sink.putAscii("{\"error\":");
    JsonText.putString(sink, message);
    sink.putAscii(",\"error_type\":\"" + kind + '"');
    return sink;
  }
}
