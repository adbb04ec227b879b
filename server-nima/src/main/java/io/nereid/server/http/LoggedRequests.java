package io.nereid.server.http;

import io.nereid.engine.memory.ClientKey;
import io.nereid.server.http.connection.HttpHandler;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.telemetry.access.AccessEntry;
import io.nereid.server.telemetry.access.AccessLog;
import io.nereid.server.telemetry.access.Protocol;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a server with an access log: each request has an entry, which the routes of
 * inference add to. Without an access log there is no such handler.
 */
record LoggedRequests(AccessLog log, HttpHandler handler) implements HttpHandler {
  /** The status of a request whose client left before a response was begun, as nginx has it. */
  private static final int CLIENT_LEFT = 499;

  @Override
  public void handle(HttpRequest request, HttpResponse response) throws IOException {
    AccessEntry entry = log.begin(Protocol.HTTP, request.client().text());
    entry.http(request.method(), request.path());
    entry.fields(request::header);
    request.logged(entry);
    if (log.givesIds()) {
      response.requestId(entry.giveId());
    }
    handler.handle(request, response);
  }

  @Override
  public void ended(ClientKey client, @Nullable HttpRequest request, HttpResponse response) {
    AccessEntry begun = request == null ? null : request.access();
    AccessEntry entry = begun == null ? log.begin(Protocol.HTTP, client.text()) : begun;
    if (request != null) {
      entry.received(request.body().readBytes());
    }
    entry.sent(response.bodyBytes());
    entry.status(response.isSent() ? response.status() : CLIENT_LEFT);
    entry.error(response.error());
    log.end(entry);
  }
}
