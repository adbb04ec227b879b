package io.nereid.spi;

import io.nereid.request.InferenceRequest;

/**
 * A model's own word on which requests share a batch, beside sizes, delays and shapes: what Triton
 * calls custom batching. Only with {@code dynamic_batching}.
 *
 * <p>Called whenever a batch is considered, which for one batch may be several times: once for its
 * first request, then for each that would join, in order. By one thread at a time; must not block
 * and must not keep the requests.
 */
public interface BatchingStrategy {
  /** A batch is considered anew, beginning with that request. */
  void begin(InferenceRequest first);

  /** Whether the next request may join; if not, the batch ends before it. */
  boolean includes(InferenceRequest next);
}
