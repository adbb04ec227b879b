package io.nereid.server.http.route;

import io.nereid.request.ModelKey;
import java.util.Optional;

/**
 * A path of the console: files, and data below {@code /console/data/}.
 *
 * @param text what follows {@code /console}; empty, or begins with a slash
 */
public record ConsolePath(String text) {
  private static final String ROOT = "/console";
  private static final String DECISIONS = "/data/decisions/";
  private static final String REQUESTS = "/data/requests";
  private static final String CONFIGURATION = "/data/configuration/";

  /** The route of a path that is no other's but maybe one of text models. */
  static Route route(String rawPath) {
    return rawPath.equals(ROOT) || rawPath.startsWith(ROOT + "/")
        ? new Route.Console(new ConsolePath(rawPath.substring(ROOT.length())))
        : TextApi.route(rawPath);
  }

  /** Whether it is no file. */
  public boolean isData() {
    return text.startsWith("/data/");
  }

  /** Whether a POST has something recorded. */
  boolean isWatch() {
    return text.startsWith(DECISIONS) || requests().isPresent();
  }

  /** The model whose decisions are asked for: {@code /data/decisions/<model>/<version>}. */
  public Optional<ModelKey> decisions() {
    String[] segments =
        text.startsWith(DECISIONS)
            ? text.substring(DECISIONS.length()).split("/", -1)
            : new String[0];
    return segments.length == 2 && segments[1].matches("[0-9]{1,18}")
        ? Optional.of(new ModelKey(Route.decode(segments[0]), Long.parseLong(segments[1])))
        : Optional.empty();
  }

  /**
   * The model whose requests are asked for: {@code /data/requests/<model>}; an empty name for those
   * of all models: {@code /data/requests}.
   */
  public Optional<String> requests() {
    if (text.equals(REQUESTS)) {
      return Optional.of("");
    }
    String model = text.startsWith(REQUESTS + "/") ? text.substring(REQUESTS.length() + 1) : "";
    return model.isEmpty() || model.contains("/")
        ? Optional.empty()
        : Optional.of(Route.decode(model));
  }

  /** The model whose configuration is asked for: {@code /data/configuration/<model>}. */
  public Optional<String> configuration() {
    return text.startsWith(CONFIGURATION)
        ? Optional.of(Route.decode(text.substring(CONFIGURATION.length())))
        : Optional.empty();
  }
}
