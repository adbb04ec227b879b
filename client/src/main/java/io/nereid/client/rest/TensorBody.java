package io.nereid.client.rest;

import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request: some buffers, one after the other. Each piece that is sent is small, since
 * the JDK copies all of a heap buffer into direct memory for each write. There are as few pieces as
 * can be: one that spans several buffers is a copy, the others are not.
 */
final class TensorBody implements HttpRequest.BodyPublisher {
  private static final int PIECE = 64 << 10;

  private final List<ByteBuffer> parts;
  private final long length;
  private volatile boolean isSent;

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

  /**
   * Whether all of a request may have come to the server: it was given to the connection, its body
   * with it if that is one of this class. If not, the server has not executed it.
   *
   * @param request null if it was not begun
   */
  static boolean isSent(@Nullable HttpRequest request) {
    return request != null
        && (!(request.bodyPublisher().orElse(null) instanceof TensorBody body) || body.isSent);
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
    private long sent;

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
      if (isOver) {
        return;
      }
      if (sent == length) {
        isOver = true;
        subscriber.onComplete();
        return;
      }
      ByteBuffer piece;
      try {
        piece = next();
      } catch (Throwable thrown) { // no memory, or that of the tensor is closed
        isOver = true;
        subscriber.onError(thrown);
        return;
      }
      sent += piece.remaining();
      isSent |= sent == length;
      subscriber.onNext(piece);
    }

    private ByteBuffer next() {
      int size = (int) Math.min(PIECE, length - sent);
      ByteBuffer whole = part();
      if (whole.remaining() - offset >= size) {
        ByteBuffer piece = whole.slice(whole.position() + offset, size);
        offset += size;
        return piece;
      }
      ByteBuffer joined = ByteBuffer.allocate(size);
      while (joined.hasRemaining()) {
        ByteBuffer next = part();
        int count = Math.min(joined.remaining(), next.remaining() - offset);
        joined.put(next.slice(next.position() + offset, count));
        offset += count;
      }
      return joined.flip();
    }

    /** The first part of which something is left. */
    private ByteBuffer part() {
      while (offset == parts.get(part).remaining()) {
        part++;
        offset = 0;
      }
      return parts.get(part);
    }

    @Override
    public void cancel() {
      isOver = true;
    }
  }
}
