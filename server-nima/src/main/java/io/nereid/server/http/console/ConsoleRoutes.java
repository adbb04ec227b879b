package io.nereid.server.http.console;

import io.nereid.engine.scheduling.journal.WatchedDecisions;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.ShownOption;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.ConsoleQuery;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The handler of {@code /console/...}: files, which are open, and data, which the router refuses
 * without the header of the API {@code console}. Both are for pages of this server alone. Runs on
 * the connection's virtual thread.
 */
public final class ConsoleRoutes {
  /** Content Security Policy: nothing but the console's own files, in no frame of another page. */
  private static final String POLICY =
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private final ConsoleAccess access;
  private final ConsoleData data;

  /**
   * The routes over these services.
   *
   * @param decisions of schedulers
   * @param sources the files of models
   * @param options of the server, without secrets
   */
  public ConsoleRoutes(
      ConsoleSettings settings,
      FrontEndServices services,
      WatchedDecisions decisions,
      ModelSources sources,
      List<ShownOption> options) {
    access = new ConsoleAccess(settings.hosts());
    data = new ConsoleData(settings, services, decisions, sources, options);
  }

  /** Responds with a file or with data; 403 to pages of others, 404 if there is no such path. */
  public void handle(Route.Console route, HttpRequest request, HttpResponse response)
      throws IOException {
    response
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header("Cross-Origin-Resource-Policy", "same-origin");
    Optional<String> obstacle = access.obstacle(request);
    Optional<ConsoleQuery> query = route.path().query();
    if (obstacle.isPresent()) {
      HttpResponses.error(response, 403, obstacle.get());
    } else if (query.isPresent()) {
      data.handle(query.get(), request, response.header("Cache-Control", "no-store"));
    } else {
      file(route.path().text(), response);
    }
  }

  private static void file(String path, HttpResponse response) throws IOException {
    if (path.isEmpty()) { // the files of the page are relative to it; browsers keep a 308
      HttpResponses.status(response.header("Location", "/console/"), 302);
      return;
    }
    Optional<ConsoleFile> file =
        ConsoleFile.find(path.equals("/") ? "index.html" : path.substring(1));
    if (file.isEmpty()) {
      HttpResponses.error(response, 404, "Not Found");
      return;
    }
    response
        .header("Content-Type", file.get().contentType())
        .header("Cache-Control", "no-cache")
        .header("Content-Security-Policy", POLICY)
        .send(file.get().bytes());
  }
}
