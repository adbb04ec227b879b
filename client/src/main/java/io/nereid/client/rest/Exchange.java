package io.nereid.client.rest;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.TransportSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sends HTTP requests to one server and reads whole responses. Knows which are open, and ends them
 * by their deadlines.
 */
final class Exchange {
  private static final String DEADLINE = "x-envoy-expected-rq-timeout-ms";

  private final HttpClient http;
  private final boolean owned;
  private final String base;
  private final TransportSettings settings;

  /** What ends each open call when the client is closed. */
  private final Set<Runnable> open = ConcurrentHashMap.newKeySet();

  private volatile boolean isClosed;

  /**
   * An exchange with a server.
   *
   * @param owned whether the HTTP client is closed with the exchange
   * @param base its address, without a slash at the end
   */
  Exchange(HttpClient http, boolean owned, String base, TransportSettings settings) {
    this.http = http;
    this.owned = owned;
    this.base = base;
    this.settings = settings;
  }

  String base() {
    return base;
  }

  TransportSettings settings() {
    return settings;
  }

  /** A request to a path of the server with all that every request has. */
  HttpRequest.Builder request(String path, CallContext context) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    context.headers().forEach(request::setHeader);
    long millis = Math.max(1, NANOSECONDS.toMillis(context.nanosLeft()));
    return request.setHeader(DEADLINE, Long.toString(millis));
  }

  /**
   * Sends a request.
   *
   * @param asked what it asks for, by its {@code toString}
   * @return the response, whatever its status; completed on a thread of the HTTP client. Fails with
   *     a {@link NereidException}
   */
  Call<HttpBody> send(HttpRequest request, CallContext context, Object asked) {
    return send(
        request,
        context,
        asked,
        (info, received) -> new BodyCollector(info, settings.maxResponseBytes(), received));
  }

  /** Reads a response and completes the future by its end. */
  interface Reading<B> {
    HttpResponse.BodySubscriber<B> read(
        HttpResponse.ResponseInfo info, CompletableFuture<B> received);
  }

  /** As the other, with a reader of one's own. */
  <B> Call<B> send(HttpRequest request, CallContext context, Object asked, Reading<B> reading) {
    Call<B> result = new Call<>();
    CompletableFuture<B> received = new CompletableFuture<>();
    Runnable end = () -> received.completeExceptionally(new ClosedClient());
    // the reader completes the call: the future of the HTTP client comes by one more thread
    Call.onEnd(
        received,
        (body, failure) -> {
          open.remove(end);
          if (failure == null) {
            result.complete(body);
          } else {
            result.completeExceptionally(failure(failure, asked));
          }
        });
    open.add(end);
    if (isClosed) {
      end.run();
      return result;
    }
    CompletableFuture<HttpResponse<B>> sent =
        http.sendAsync(request, info -> reading.read(info, received));
    Call.onEnd(
        sent,
        (response, failure) -> {
          if (failure != null) {
            received.completeExceptionally(failure);
          }
        });
    received.orTimeout(Math.max(1, context.nanosLeft()), NANOSECONDS);
    Call.onEnd(
        received,
        (body, failure) -> {
          if (failure != null) {
            sent.cancel(true);
          }
        });
    result.onAbort(() -> received.cancel(true));
    return result;
  }

  private NereidException failure(Throwable failure, Object asked) {
    return Failures.of(failure, asked + " at " + base);
  }

  /**
   * The body of a response of status 200.
   *
   * @throws NereidException for another status
   */
  HttpBody successful(HttpBody body, Object asked) {
    String where = asked + " at " + base;
    try {
      HttpBody plain = body.plain(settings.maxResponseBytes());
      if (plain.status() == 200) {
        return plain;
      }
      throw Failures.of(plain, where);
    } catch (IOException e) {
      throw NereidException.badResponse(where, "the response cannot be decompressed", e);
    }
  }

  /** Ends all calls, and those that come. */
  void close() {
    isClosed = true;
    open.forEach(Runnable::run);
    // since JDK 21
    if (owned && (Object) http instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new NereidException(
            ErrorCode.INTERNAL, "close of " + base, "it failed", false, null, e);
      }
    }
  }

  /** Why a call ends when the client is closed. */
  static final class ClosedClient extends IOException {
    private static final long serialVersionUID = 1;

    ClosedClient() {
      super("the client is closed");
    }
  }
}
