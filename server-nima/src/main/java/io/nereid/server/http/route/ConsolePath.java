package io.nereid.server.http.route;

import java.util.Optional;

/**
 * A path of the console: files, and data below {@code /console/data/}.
 *
 * @param text what follows {@code /console}; empty, or begins with a slash
 */
public record ConsolePath(String text) {
  private static final String ROOT = "/console";
  private static final String DATA = "/data/";

  /** The route of a path that is no other's but maybe one of text models. */
  static Route route(String rawPath) {
    if (rawPath.equals("/")) {
      return new Route.Console(new ConsolePath(""));
    }
    return rawPath.equals(ROOT) || rawPath.startsWith(ROOT + "/")
        ? new Route.Console(new ConsolePath(rawPath.substring(ROOT.length())))
        : TextApi.route(rawPath);
  }

  /** What is asked for; empty if it is a file. */
  public Optional<ConsoleQuery> query() {
    return text.startsWith(DATA)
        ? Optional.of(ConsoleQuery.parse(text.substring(DATA.length())))
        : Optional.empty();
  }

  /** Whether a POST has something recorded. */
  boolean isWatch() {
    return query()
        .filter(query ->
            query instanceof ConsoleQuery.Decisions || query instanceof ConsoleQuery.Requests)
        .isPresent();
  }
}
