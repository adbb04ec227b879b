package io.nereid.server.http.inference;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.AwaitedResponses;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.request.RequestErrors;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tensor.Tensor;

/**
 * The limits of the responses of a stream that wait while its client reads: a number of bytes, and
 * the client's share of memory. A response that no other waits before is not counted, so that a
 * single one has no limit. They are removed in the order in which they were added. For one thread
 * at a time.
 */
final class UnreadResponses implements AwaitedResponses.Waiting {
  /** The limit of bytes above which the request is cancelled. */
  static final long MAX_BYTES = 128L << 20;

  /** The bytes that a response costs besides its outputs. */
  static final int OVERHEAD = 1024;

  /** The part by which memory is counted for the client. */
  private static final long STEP = 1 << 20;

  private final RequestMemory memory;
  private final ClientKey client;

  private int waiting;

  /** Whether the first that waits is not counted. */
  private boolean isFirstFree;

  /** Of all that are counted. */
  private long bytes;

  private long reserved;

  UnreadResponses(RequestMemory memory, ClientKey client) {
    this.memory = memory;
    this.client = client;
  }

  @Override
  public void add(InferenceResponse response) {
    if (waiting == 0) {
      isFirstFree = true;
    } else {
      count(response);
    }
    waiting++;
  }

  private void count(InferenceResponse response) {
    if (bytes >= MAX_BYTES) {
      throw InferenceException.unavailable(
          "%sthe client reads its stream too slowly: more than %d bytes wait to be read"
              .formatted(RequestErrors.prefix(response.id()), MAX_BYTES));
    }
    long after = bytes + byteSize(response);
    try {
      while (after > RequestMemory.UNCOUNTED + reserved) {
        memory.acquire(client, STEP);
        reserved += STEP;
      }
    } catch (InferenceException exhausted) {
      throw new InferenceException(
          StatusCode.RESOURCE_EXHAUSTED,
          "%sthe client reads its stream too slowly: %s"
              .formatted(RequestErrors.prefix(response.id()), exhausted.getMessage()));
    }
    bytes = after;
  }

  @Override
  public void remove(InferenceResponse response) {
    waiting--;
    if (isFirstFree) {
      isFirstFree = false;
    } else {
      bytes -= byteSize(response);
    }
    while (reserved > 0 && (waiting == 0 || bytes < reserved - STEP)) { // with a step to spare
      memory.release(client, STEP);
      reserved -= STEP;
    }
  }

  private static long byteSize(InferenceResponse response) {
    long size = OVERHEAD;
    for (Tensor output : response.outputs()) {
      size += output.byteSize();
    }
    return size;
  }
}
