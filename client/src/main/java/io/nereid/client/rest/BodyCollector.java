package io.nereid.client.rest;

import io.nereid.client.Sentences;
import java.net.ProtocolException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Gathers a response in one array, with one copy if it states its length. Memory is allocated as
 * bytes come: a length that is a lie costs nothing.
 */
final class BodyCollector implements HttpResponse.BodySubscriber<HttpBody> {
  private static final int MAX_FIRST_SIZE = 16 << 20;
  private static final int UNKNOWN_FIRST_SIZE = 4 << 10;

  private final HttpResponse.ResponseInfo info;
  private final int limit;
  private final CompletableFuture<HttpBody> received;
  private byte[] bytes = {};
  private int length;
  private Flow.@Nullable Subscription subscription;

  /**
   * A reader of one response.
   *
   * @param received completed with the response
   */
  BodyCollector(HttpResponse.ResponseInfo info, int limit, CompletableFuture<HttpBody> received) {
    this.info = info;
    this.limit = limit;
    this.received = received;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    String stated = info.headers().firstValue("content-length").orElse(null);
    long size = stated == null ? UNKNOWN_FIRST_SIZE : Long.parseLong(stated);
    if (stated != null && size > limit) {
      tooLong();
      return;
    }
    bytes = new byte[(int) Math.min(Math.max(0, size), Math.min(limit, MAX_FIRST_SIZE))];
    given.request(Long.MAX_VALUE);
  }

  private void tooLong() {
    if (subscription != null) {
      subscription.cancel();
    }
    received.completeExceptionally(new ProtocolException(Sentences.tooLong(limit)));
  }

  @Override
  public void onNext(List<ByteBuffer> pieces) {
    for (ByteBuffer piece : pieces) {
      int size = piece.remaining();
      if (size > limit - length) {
        tooLong();
        return;
      }
      if (length + size > bytes.length) {
        bytes = Arrays.copyOf(bytes, (int) Math.min(limit, Math.max(length + size, 2L * length)));
      }
      piece.get(bytes, length, size);
      length += size;
    }
  }

  @Override
  public void onError(Throwable failure) {
    received.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    received.complete(new HttpBody(info.statusCode(), info.headers(), bytes, length));
  }

  @Override
  public CompletionStage<HttpBody> getBody() {
    return received;
  }
}
