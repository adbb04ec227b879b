package io.nereid.server.http.connection;

/** The status codes that the server uses, with their reason phrases (RFC 9110, section 15). */
final class StatusLines {
  private StatusLines() {}

  /** Returns code and phrase, such as {@code 404 Not Found}. */
  static String text(int code) {
    return switch (code) {
      case 200 -> "200 OK";
      case 400 -> "400 Bad Request";
      case 403 -> "403 Forbidden";
      case 404 -> "404 Not Found";
      case 405 -> "405 Method Not Allowed";
      case 408 -> "408 Request Timeout";
      case 413 -> "413 Content Too Large";
      case 414 -> "414 URI Too Long";
      case 417 -> "417 Expectation Failed";
      case 429 -> "429 Too Many Requests";
      case 431 -> "431 Request Header Fields Too Large";
      case 500 -> "500 Internal Server Error";
      case 501 -> "501 Not Implemented";
      case 503 -> "503 Service Unavailable";
      case 505 -> "505 HTTP Version Not Supported";
      default -> code + " Status";
    };
  }
}
