package io.nereid.client.rest;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The body of a request: some buffers, one after the other, without a copy. Each piece that is sent
 * is small, since the JDK copies all of a heap buffer into direct memory for each write.
 */
final class TensorBody implements HttpRequest.BodyPublisher {
  private static final int PIECE = 64 << 10;

  private final List<ByteBuffer> parts;
  private final long length;

  /**
   * The bytes between position and limit of each buffer, which stay as they are.
   *
   * @param parts read-only, unless what is done to their bytes does not matter
   */
  TensorBody(List<ByteBuffer> parts) {
    this.parts = parts;
    long sum = 0;
    for (ByteBuffer part : parts) {
      sum += part.remaining();
    }
    this.length = sum;
  }

  @Override
  public long contentLength() {
    return length;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
    subscriber.onSubscribe(new Pieces(subscriber));
  }

  private final class Pieces implements Flow.Subscription {
    private final Flow.Subscriber<? super ByteBuffer> subscriber;
    private final AtomicLong demand = new AtomicLong();
    private volatile boolean isOver;
    private int part;
    private int offset;

    Pieces(Flow.Subscriber<? super ByteBuffer> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void request(long count) {
      if (count <= 0) {
        if (!isOver) {
          isOver = true;
          subscriber.onError(new IllegalArgumentException("a demand of " + count));
        }
        return;
      }
      // the call that raises the demand from 0 sends; others, as from onNext below, only raise it
      if (demand.getAndUpdate(old -> Math.max(old, old + count)) == 0) {
        do {
          send();
        } while (demand.decrementAndGet() > 0);
      }
    }

    private void send() {
      while (part < parts.size() && offset == parts.get(part).remaining()) {
        part++;
        offset = 0;
      }
      if (isOver) {
        return;
      }
      if (part == parts.size()) {
        isOver = true;
        subscriber.onComplete();
        return;
      }
      ByteBuffer whole = parts.get(part);
      int size = Math.min(PIECE, whole.remaining() - offset);
      ByteBuffer piece = whole.slice(whole.position() + offset, size);
      offset += size;
      subscriber.onNext(piece);
    }

    @Override
    public void cancel() {
      isOver = true;
    }
  }
}
