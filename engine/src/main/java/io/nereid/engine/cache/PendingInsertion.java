package io.nereid.engine.cache;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.ResponseReceiver;
import io.nereid.error.InferenceException;
import io.nereid.spi.cache.CacheKey;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A response that will be inserted when it comes. Owns a copy of the request's inputs until the
 * request has ended. Nothing but a response is inserted: no failure, and nothing of a request that
 * was cancelled.
 */
final class PendingInsertion {
  private final ModelCaching caching;
  private final CacheKey key;
  private final byte[] head;
  private final AtomicReference<@Nullable Lease> inputs;
  private final long lookUpNanos;

  /**
   * @param inputs taken; null if the response cannot be inserted
   */
  PendingInsertion(
      ModelCaching caching, CacheKey key, byte[] head, @Nullable Lease inputs, long lookUpNanos) {
    this.caching = caching;
    this.key = key;
    this.head = head;
    this.inputs = new AtomicReference<>(inputs);
    this.lookUpNanos = lookUpNanos;
  }

  /** A receiver that inserts the response before {@code receiver} gets it. */
  ResponseReceiver before(ResponseReceiver receiver) {
    return new Interposed(receiver);
  }

  private void insert(InferenceResponse response) {
    Lease copy = inputs.getAndSet(null);
    if (copy == null) {
      caching.insert(key, null, lookUpNanos);
      return;
    }
    try (copy) {
      caching.insert(key, new CachedResponse(head, copy.segment(), response), lookUpNanos);
    }
  }

  /** Releases the inputs if that was not done before. */
  void drop() {
    Lease copy = inputs.getAndSet(null);
    if (copy != null) {
      copy.close();
    }
  }

  /** The receiver of a request's single response. */
  private final class Interposed implements ResponseReceiver {
    private final ResponseReceiver receiver;

    Interposed(ResponseReceiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public void computed(long queueNanos, long inputNanos, long inferNanos, long outputNanos) {
      receiver.computed(queueNanos, inputNanos, inferNanos, outputNanos);
    }

    @Override
    public void next(InferenceResponse response) {
      receiver.next(response);
    }

    @Override
    public void awaitRoom() {
      receiver.awaitRoom();
    }

    @Override
    public void answer(InferenceResponse response) {
      try {
        insert(response);
      } catch (Throwable thrown) { // such as no memory: the client gets its response
        caching.failed(thrown);
      } finally {
        receiver.answer(response);
      }
    }

    @Override
    public void complete() {
      try {
        drop();
      } finally {
        receiver.complete();
      }
    }

    @Override
    public void fail(InferenceException failure) {
      try {
        drop();
      } finally {
        receiver.fail(failure);
      }
    }

    @Override
    public void reject(InferenceException reason) {
      try {
        drop();
      } finally {
        receiver.reject(reason);
      }
    }
  }
}
