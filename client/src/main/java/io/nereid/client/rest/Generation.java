package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ErrorCode;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.NereidException;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Calls of the generate extension. */
final class Generation {
  private final Exchange exchange;

  Generation(Exchange exchange) {
    this.exchange = exchange;
  }

  Call<Generated> generate(GenerateRequest request, CallContext context) {
    return exchange
        .send(post(request, "/generate", context), context, request)
        .map(
            exchange.at(request),
            answer -> {
              HttpBody body = exchange.successful(answer, request);
              return generated(request, new String(body.bytes(), 0, body.length(), UTF_8));
            });
  }

  private HttpRequest.Builder post(GenerateRequest request, String action, CallContext context) {
    ByteBuffer body = JsonTree.buffer(json -> JsonTree.write(json, request.values()));
    return exchange.post(
        Paths.model(request.model(), request.version()) + action,
        context,
        "application/json",
        List.of(body));
  }

  /**
   * A response of an object.
   *
   * @throws NereidException if it is an error's
   * @throws IllegalArgumentException if it is neither
   */
  private Generated generated(GenerateRequest request, String text) {
    Map<String, Object> values = new LinkedHashMap<>();
    try {
      byte[] json = text.getBytes(UTF_8);
      if (!(JsonTree.read(json, 0, json.length) instanceof Map<?, ?> members)) {
        throw new IllegalArgumentException("it is no object");
      }
      members.forEach(
          (name, value) -> values.put(String.valueOf(name), Objects.requireNonNullElse(value, "")));
    } catch (IOException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    Object model = values.remove("model_name");
    if (model == null && values.get("error") instanceof String error) {
      throw new NereidException(
          ErrorCode.UNKNOWN, exchange.at(request), error.strip(), true, null, null);
    }
    Object version = values.remove("model_version");
    return new Generated(
        model == null ? "" : model.toString(), version == null ? "" : version.toString(), values);
  }

  /** Sends a request, and publishes its responses as they come. */
  void stream(
      GenerateRequest request, CallContext context, Flow.Subscriber<? super Generated> subscriber) {
    HttpRequest.Builder post = post(request, "/generate_stream", context);
    EventStream<Generated> events =
        new EventStream<>(subscriber, event -> generatedOrBad(request, event));
    subscriber.onSubscribe(events);
    Call<HttpBody> call =
        exchange.send(post, context, request, (info, received) -> reader(info, received, events));
    events.onCancel(() -> call.cancel(true));
    Call.onEnd(call, (body, failure) -> events.end(end(request, body, failure)));
  }

  private Generated generatedOrBad(GenerateRequest request, String event) {
    try {
      return generated(request, event);
    } catch (IllegalArgumentException e) {
      throw NereidException.badResponse(
          exchange.at(request), "an event cannot be read: " + e.getMessage(), e);
    }
  }

  private HttpResponse.BodySubscriber<HttpBody> reader(
      HttpResponse.ResponseInfo info,
      CompletableFuture<HttpBody> received,
      EventStream<Generated> events) {
    int limit = exchange.settings().maxResponseBytes();
    return info.statusCode() == 200 && isEvents(info.headers())
        ? new EventReader(info, limit, received, events)
        : new BodyCollector(info, limit, received);
  }

  private static boolean isEvents(HttpHeaders headers) {
    return headers.firstValue("content-type").orElse("").startsWith("text/event-stream");
  }

  /** Why a stream has ended; null if it is complete. */
  private @Nullable NereidException end(
      GenerateRequest request, @Nullable HttpBody body, @Nullable Throwable failure) {
    if (body == null) {
      return failure == null ? null : Failures.of(failure, exchange.at(request), true);
    }
    try {
      exchange.successful(body, request);
    } catch (NereidException error) {
      return error;
    }
    return isEvents(body.headers())
        ? null
        : NereidException.badResponse(exchange.at(request), "the response has no events", null);
  }
}
