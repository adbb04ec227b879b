package io.nereid.server.http.connection;

import io.nereid.server.codec.ByteSink;

/**
 * What a connection needs to write the heads of its responses, one after another. Used by its
 * thread.
 */
final class ResponseBuffers {
  private static final int FIELDS = 256;

  /** A head, and a short body behind it. */
  private static final int HEAD = 768;

  private ByteSink fields = new ByteSink(FIELDS);
  private ByteSink head = new ByteSink(HEAD);

  /** Header fields of the response. */
  ByteSink fields() {
    return fields;
  }

  /** What is written first. */
  ByteSink head() {
    return head;
  }

  /** Empties the buffers for the next response; those that have grown are given up. */
  void clear() {
    fields = cleared(fields, FIELDS);
    head = cleared(head, HEAD);
  }

  private static ByteSink cleared(ByteSink sink, int capacity) {
    if (sink.array().length > capacity) {
      return new ByteSink(capacity);
    }
    sink.clear();
    return sink;
  }
}
