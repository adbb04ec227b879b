package io.nereid.client.rest;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.NereidException;
import io.nereid.client.TransportSettings;
import io.nereid.client.WireRequest;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

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

  private final CallDeadlines deadlines = new CallDeadlines();
  private final ConnectionLimit limit;

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
    limit = new ConnectionLimit(settings.connections());
  }

  String base() {
    return base;
  }

  TransportSettings settings() {
    return settings;
  }

  /** A request for what is at a path of the server. */
  HttpRequest.Builder get(String path, CallContext context) {
    return request("GET", path, context, List.of()).GET();
  }

  /** A request with a body, whose parts stay as they are. */
  HttpRequest.Builder post(
      String path, CallContext context, String contentType, List<ByteBuffer> parts) {
    return request("POST", path, context, parts)
        .setHeader("Content-Type", contentType)
        .POST(new TensorBody(parts));
  }

  /** A request with all that every request has. */
  private HttpRequest.Builder request(
      String method, String path, CallContext context, List<ByteBuffer> parts) {
    URI uri = URI.create(base + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    Function<WireRequest, Map<String, String>> signing = context.signing();
    Map<String, String> headers =
        signing == null
            ? context.headers()
            : signing.apply(new WireRequest(method, uri.getRawPath(), parts));
    headers.forEach(request::setHeader);
    return request;
  }

  /**
   * Sends a request, once there is a connection for it.
   *
   * @param asked what it asks for, by its {@code toString}
   * @return the response, whatever its status; completed on a thread of the HTTP client. Fails with
   *     a {@link NereidException}
   */
  Call<HttpBody> send(HttpRequest.Builder request, CallContext context, Object asked) {
    return send(
        request,
        context,
        asked,
        (info, received) -> new BodyCollector(info, settings.maxResponseBytes(), received));
  }

  /** Makes the reader of a response, which completes the future. */
  interface Reading {
    HttpResponse.BodySubscriber<HttpBody> read(
        HttpResponse.ResponseInfo info, CompletableFuture<HttpBody> received);
  }

  /** As the other, with a reader of one's own. */
  Call<HttpBody> send(
      HttpRequest.Builder request, CallContext context, Object asked, Reading reading) {
    Call<HttpBody> result = new Call<>();
    CallDeadlines.OpenCall call =
        new CallDeadlines.OpenCall(context, () -> at(asked), why -> end(result, why));
    NereidException closed = deadlines.add(call);
    if (closed != null) {
      result.completeExceptionally(closed);
      return result;
    }
    Call.onEnd(result, (body, failure) -> deadlines.remove(call));
    BooleanSupplier start = () -> start(request, call, result, reading);
    if (limit.acquire(start)) {
      Call.onEnd(result, (body, failure) -> limit.forget(start));
    }
    return result;
  }

  /** By another thread: what the caller does then must not hold this one. */
  private static void end(Call<HttpBody> result, Supplier<NereidException> why) {
    if (result.isDone()) {
      return;
    }
    Runnable ending = () -> result.guard(() -> result.completeExceptionally(why.get()));
    try {
      result.defaultExecutor().execute(ending);
    } catch (RejectedExecutionException | OutOfMemoryError noThread) {
      ending.run();
    }
  }

  /**
   * Sends a request on this thread, once there is a connection for it, and waits for the response.
   *
   * @param asked what it asks for, by its {@code toString}
   * @return the response, whatever its status
   */
  HttpBody sendAndWait(HttpRequest.Builder request, CallContext context, Object asked) {
    CallerThreadCall call = new CallerThreadCall(context, () -> at(asked));
    NereidException closed = deadlines.add(call.open());
    if (closed != null) {
      throw closed;
    }
    try {
      return call.run(limit, () -> http.send(built(request, call.open()), this::collector).body());
    } finally {
      deadlines.remove(call.open());
    }
  }

  private HttpResponse.BodySubscriber<HttpBody> collector(HttpResponse.ResponseInfo info) {
    return new BodyCollector(info, settings.maxResponseBytes(), new CompletableFuture<>());
  }

  /** The request of a call that is sent now. */
  private static HttpRequest built(HttpRequest.Builder request, CallDeadlines.OpenCall call) {
    long millis = Math.max(1, NANOSECONDS.toMillis(call.context().nanosLeft()));
    HttpRequest built = request.setHeader(DEADLINE, Long.toString(millis)).build();
    call.sending(built);
    return built;
  }

  /** Throws nothing. Returns false if the call has ended. */
  private boolean start(
      HttpRequest.Builder request,
      CallDeadlines.OpenCall call,
      Call<HttpBody> result,
      Reading reading) {
    if (!result.isDone()) {
      result.guard(() -> send(request, call, result, reading));
    }
    if (result.isDone()) {
      return false;
    }
    Call.onEnd(result, (body, failure) -> limit.release());
    return true;
  }

  private void send(
      HttpRequest.Builder builder,
      CallDeadlines.OpenCall call,
      Call<HttpBody> result,
      Reading reading) {
    if (call.context().nanosLeft() <= 0) {
      throw call.late();
    }
    // the reader completes the call: the future of the HTTP client comes by one more thread
    CompletableFuture<HttpBody> received = new CompletableFuture<>();
    HttpRequest request = built(builder, call);
    CompletableFuture<HttpResponse<HttpBody>> sent =
        http.sendAsync(request, info -> reading.read(info, received));
    // this closes the connection, unless the reader has ended: so the reader is not told before
    result.onAbort(() -> sent.cancel(true));
    Call.onEnd(
        sent,
        (response, failure) -> {
          if (failure != null) {
            received.completeExceptionally(failure);
          }
        });
    Call.onEnd(
        received,
        (body, failure) -> {
          if (failure == null) {
            result.complete(body);
          } else {
            result.guard(() -> {
              throw call.failure(failure);
            });
          }
        });
  }

  /** What is asked for, and where. */
  String at(Object asked) {
    return asked + " at " + base;
  }

  /**
   * The body of a response of status 200.
   *
   * @throws NereidException for another status
   */
  HttpBody successful(HttpBody body, Object asked) {
    try {
      HttpBody plain = body.plain(settings.maxResponseBytes());
      if (plain.status() == 200) {
        return plain;
      }
      throw Failures.of(plain, at(asked));
    } catch (ProtocolException e) {
      throw NereidException.badResponse(at(asked), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw NereidException.badResponse(at(asked), "the response cannot be decompressed", e);
    }
  }

  /** Ends all calls, and those that come. */
  void close() {
    deadlines.close();
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
}
