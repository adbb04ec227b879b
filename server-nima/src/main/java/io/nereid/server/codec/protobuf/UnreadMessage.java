package io.nereid.server.codec.protobuf;

/**
 * A message whose bytes have come and are still to be parsed, since it is large or compressed.
 * Owned. For one thread at a time.
 */
public interface UnreadMessage extends AutoCloseable {
  /**
   * The content, to be read once, before the message is closed.
   *
   * @throws io.nereid.error.InferenceException if there is none, now or while it is read
   */
  ProtoInput open();

  /** The bytes that have come. */
  long byteSize();

  /** Whether parsing takes so long that an event loop has no time for it. */
  boolean isLong();

  @Override
  void close();
}
