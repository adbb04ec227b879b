package io.nereid.server.grpc.inference;

/**
 * The limits of a stream: counts its pending requests and the messages that its client has not
 * read. Decides whether to read another request, and whether the client is too slow. Pure; for one
 * thread at a time.
 */
final class StreamWindow {
  /**
   * The limit of requests and messages above which no request is read. Enough to fill batches and
   * to reach the end of a sequence while others wait for a slot; less than a model's queue holds.
   */
  static final int MAX_MESSAGES = 1024;

  /** The limit of bytes of inputs and messages above which no request is read. */
  static final long MAX_BYTES = 64L << 20;

  /** The limit of bytes of unread messages above which decoupled requests are cancelled. */
  static final long MAX_UNREAD_BYTES = 128L << 20;

  /** The bytes that a message costs besides its own. */
  static final int OVERHEAD = 1024;

  private int requests;
  private long inputBytes;
  private int messages;
  private long messageBytes;

  void addRequest(long byteSize) {
    requests++;
    inputBytes += byteSize;
  }

  void removeRequest(long byteSize) {
    requests--;
    inputBytes -= byteSize;
  }

  void addMessage(long byteSize) {
    messages++;
    messageBytes += byteSize + OVERHEAD;
  }

  void removeMessage(long byteSize) {
    messages--;
    messageBytes -= byteSize + OVERHEAD;
  }

  /** The bytes of messages that the client has not read. */
  long unreadBytes() {
    return messageBytes;
  }

  /** Whether another request may be read. */
  boolean isOpen() {
    return requests + messages < MAX_MESSAGES && inputBytes + messageBytes < MAX_BYTES;
  }

  /** Whether the client reads so slowly that no further message is kept for it. */
  boolean isFull() {
    return messageBytes >= MAX_UNREAD_BYTES;
  }
}
