package io.nereid.client.rest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.client.Sentences;
import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events: the data of each, without names and ids. */
final class EventReader implements HttpResponse.BodySubscriber<HttpBody> {
  private final HttpResponse.ResponseInfo info;
  private final int limit;
  private final CompletableFuture<HttpBody> received;
  private final EventStream<?> stream;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final StringBuilder data = new StringBuilder();
  private Flow.@Nullable Subscription connection;

  /**
   * A reader of one response.
   *
   * @param limit of the length of one event
   * @param received completed with an empty body at the end
   * @param stream gets the events, but not their end
   */
  EventReader(
      HttpResponse.ResponseInfo info,
      int limit,
      CompletableFuture<HttpBody> received,
      EventStream<?> stream) {
    this.info = info;
    this.limit = limit;
    this.received = received;
    this.stream = stream;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    connection = given;
    stream.connect(given);
  }

  @Override
  public void onNext(List<ByteBuffer> pieces) {
    for (ByteBuffer piece : pieces) {
      while (piece.hasRemaining()) {
        if (!read(piece.get())) {
          if (connection != null) {
            connection.cancel();
          }
          received.completeExceptionally(new ProtocolException(Sentences.tooLong(limit)));
          return;
        }
      }
    }
    stream.wasRead();
  }

  /** Returns false if the event is longer than the limit. */
  private boolean read(byte next) {
    if (next != '\n') {
      line.write(next);
      return line.size() <= limit - data.length();
    }
    String text = line.toString(UTF_8);
    line.reset();
    if (text.endsWith("\r")) {
      text = text.substring(0, text.length() - 1);
    }
    if (text.startsWith("data:")) {
      data.append(data.length() == 0 ? "" : "\n").append(text.substring(5).stripLeading());
    } else if (text.isEmpty() && data.length() > 0) {
      stream.add(data.toString());
      data.setLength(0);
    }
    return true;
  }

  @Override
  public void onError(Throwable failure) {
    received.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    received.complete(new HttpBody(info.statusCode(), info.headers(), new byte[0], 0));
  }

  @Override
  public CompletionStage<HttpBody> getBody() {
    return received;
  }
}
