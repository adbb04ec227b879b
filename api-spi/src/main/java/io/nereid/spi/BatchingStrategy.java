package io.nereid.spi;

import io.nereid.request.InferenceRequest;

/**
 * A model's own rule on which requests may share a batch, in addition to batch sizes, delays and
 * shapes. It needs {@code dynamic_batching}. Triton calls it custom batching.
 *
 * <p>Each time the scheduler forms a batch, it calls {@link #begin} with the first request and
 * {@link #includes} with each following one, in order. It may form the same batch several times
 * before it dispatches it. One thread calls at a time; the methods must not block and must not
 * retain the requests.
 */
public interface BatchingStrategy {
  /** Starts a new batch with that request. */
  void begin(InferenceRequest first);

  /** Whether the request may join the batch; if not, the batch ends before it. */
  boolean includes(InferenceRequest next);
}
