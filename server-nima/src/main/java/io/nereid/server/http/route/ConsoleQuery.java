package io.nereid.server.http.route;

import io.nereid.request.ModelKey;

/** What a page of the console asks for, by a path below {@code /console/data/}. */
public sealed interface ConsoleQuery {
  /** {@code server}: which server this is. */
  record Server() implements ConsoleQuery {}

  /** {@code models}: the list of models. */
  record Models() implements ConsoleQuery {}

  /** {@code live}: the counts of all models. */
  record Live() implements ConsoleQuery {}

  /** {@code options}: the options of the server. */
  record Options() implements ConsoleQuery {}

  /** {@code log/<number>}: the last lines of the log, from that number on. */
  record Log(long first) implements ConsoleQuery {}

  /** {@code configuration/<model>}: the file of a model. */
  record Configuration(String model) implements ConsoleQuery {}

  /** {@code decisions/<model>/<version>}: the decisions on a model. */
  record Decisions(ModelKey model) implements ConsoleQuery {}

  /**
   * {@code requests/<model>}: the slowest and the failed requests.
   *
   * @param model empty for all, {@code requests}
   */
  record Requests(String model) implements ConsoleQuery {}

  /** Any other path. */
  record Unknown() implements ConsoleQuery {}

  /** Parses a raw path. */
  static ConsoleQuery parse(String path) {
    String[] segments = path.split("/", -1);
    String first = segments.length > 1 ? Route.decode(segments[1]) : "";
    return switch (segments.length) {
      case 1 -> alone(path);
      case 2 -> of(segments[0], first);
      case 3 ->
          segments[0].equals("decisions") && isNumber(segments[2])
              ? new Decisions(new ModelKey(first, Long.parseLong(segments[2])))
              : new Unknown();
      default -> new Unknown();
    };
  }

  private static ConsoleQuery alone(String path) {
    return switch (path) {
      case "server" -> new Server();
      case "models" -> new Models();
      case "live" -> new Live();
      case "options" -> new Options();
      case "requests" -> new Requests("");
      default -> new Unknown();
    };
  }

  private static ConsoleQuery of(String path, String name) {
    return switch (path) {
      case "configuration" -> new Configuration(name);
      case "log" -> isNumber(name) ? new Log(Long.parseLong(name)) : new Unknown();
      case "requests" -> name.isEmpty() ? new Unknown() : new Requests(name);
      default -> new Unknown();
    };
  }

  private static boolean isNumber(String text) {
    return text.matches("[0-9]{1,18}");
  }
}
