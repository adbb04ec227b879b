package io.nereid.server.http.connection;

import io.nereid.engine.memory.ClientKey;
import io.nereid.server.frontend.ClientRequests;
import io.nereid.server.frontend.RequestTelemetry;
import io.nereid.server.http.message.BadRequestException;
import io.nereid.server.http.message.ReadAhead;
import io.nereid.server.http.message.RequestBody;
import io.nereid.server.http.message.RequestHead;
import io.nereid.server.telemetry.access.AccessEntry;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A request: its head, and its body as it arrives. Used by the connection's thread. */
public final class HttpRequest implements ClientRequests.Sender {
  private final RequestHead head;
  private final String path;
  private final RequestBody body;
  private final ReadAhead ahead;
  private final ClientKey client;

  /** Null if the server has no access log. */
  private @Nullable AccessEntry access;

  HttpRequest(RequestHead head, RequestBody body, ReadAhead ahead, ClientKey client)
      throws BadRequestException {
    this.head = head;
    this.path = path(head.method(), head.target());
    this.body = body;
    this.ahead = ahead;
    this.client = client;
  }

  /** Such as {@code GET}; case matters. */
  public String method() {
    return head.method();
  }

  /**
   * The path as it was sent, not decoded, without query; of an absolute URI too. {@code *} for a
   * request of the whole server.
   */
  public String path() {
    return path;
  }

  /**
   * The value of the first field with a name.
   *
   * @param name case is ignored
   */
  @Override
  public Optional<String> header(String name) {
    if (!head.has(name)) {
      return Optional.empty();
    }
    List<String> values = head.values(name);
    return Optional.of(values.getFirst());
  }

  /**
   * Passes all fields of the head on, in order.
   *
   * @param fieldReader takes names, as they came, and values
   */
  @Override
  public void forEachHeader(BiConsumer<String, String> fieldReader) {
    head.forEach(fieldReader);
  }

  public RequestBody body() {
    return body;
  }

  /** Whom the request's memory is counted for. */
  @Override
  public ClientKey client() {
    return client;
  }

  /** Sets the request's entry in the access log. */
  public void logged(AccessEntry entry) {
    access = entry;
  }

  /** The request's entry in the access log; null if the server has none. */
  public @Nullable AccessEntry access() {
    return access;
  }

  /** What is recorded of the request, but for a trace. */
  public RequestTelemetry telemetry() {
    return RequestTelemetry.of(access);
  }

  /** Notices a disconnect of the client while the request waits for its response. */
  public ReadAhead ahead() {
    return ahead;
  }

  private static String path(String method, String target) throws BadRequestException {
    int query = target.indexOf('?');
    String path = query < 0 ? target : target.substring(0, query);
    if (path.startsWith("/") || (path.equals("*") && method.equals("OPTIONS"))) {
      return path;
    }
    int scheme = path.indexOf("://");
    if (scheme <= 0) {
      throw BadRequestException.malformed(
          "the target of a request is a path or an absolute URI, not '%s'".formatted(target));
    }
    int start = path.indexOf('/', scheme + 3);
    return start < 0 ? "/" : path.substring(start);
  }
}
