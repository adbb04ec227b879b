package io.nereid.server.http;

import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The origins whose pages may send requests from a browser (Fetch Standard, section CORS protocol).
 * Immutable.
 */
public final class CorsOrigins {
  /** Browsers send no requests of pages from elsewhere. */
  public static final CorsOrigins NONE = new CorsOrigins(Set.of());

  private static final String ANY = "*";
  private static final String ORIGIN = "Origin";

  /** How long a browser may remember the answer to a preflight, in seconds. */
  private static final String MAX_AGE = "600";

  private static final Pattern HEADER_NAMES = Pattern.compile("[A-Za-z0-9_, -]+");

  private final Set<String> origins;

  private CorsOrigins(Set<String> origins) {
    this.origins = origins;
  }

  /**
   * Permits origins.
   *
   * @param origins such as {@code https://example.org:8443}, or {@code *} for all
   */
  public static CorsOrigins of(Collection<String> origins) {
    return origins.isEmpty() ? NONE : new CorsOrigins(Set.copyOf(origins));
  }

  boolean isOff() {
    return origins.isEmpty();
  }

  /** Adds what lets the browser of a permitted origin read the response. */
  void permit(HttpRequest request, HttpResponse response) {
    if (origins.contains(ANY)) {
      response.header("Access-Control-Allow-Origin", ANY);
    } else {
      response.header("Vary", ORIGIN);
      Optional<String> origin = request.header(ORIGIN).filter(origins::contains);
      if (origin.isEmpty()) {
        return;
      }
      response.header("Access-Control-Allow-Origin", origin.get());
    }
    response.header(
        "Access-Control-Expose-Headers", "Inference-Header-Content-Length, Retry-After");
  }

  /** Whether a request asks what a browser may send. */
  static boolean isPreflight(HttpRequest request) {
    return request.method().equals("OPTIONS")
        && request.header(ORIGIN).isPresent()
        && request.header("Access-Control-Request-Method").isPresent();
  }

  /** Responds to a preflight. A browser of another origin finds no permission in it. */
  void preflight(HttpRequest request, HttpResponse response) throws IOException {
    response.header("Access-Control-Allow-Methods", "GET, POST");
    request
        .header("Access-Control-Request-Headers")
        .filter(names -> HEADER_NAMES.matcher(names).matches())
        .ifPresent(names -> response.header("Access-Control-Allow-Headers", names));
    HttpResponses.status(response.header("Access-Control-Max-Age", MAX_AGE), 200);
  }
}
