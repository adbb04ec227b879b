package io.nereid.server.grpc;

/**
 * How much of a stream is on the server: requests under way, and answers that its client has not
 * read. Decides whether to read on, and when a client is too slow. Pure; for one thread at a time.
 */
final class StreamWindow {
  /**
   * Requests and answers from which on nothing more is read. Enough to fill batches, and for a
   * sequence's end to be read while its rivals wait; less than a model's queue holds.
   */
  static final int MAX_MESSAGES = 1024;

  /** Bytes of inputs and answers from which on nothing more is read. */
  static final long MAX_BYTES = 64L << 20;

  /** Bytes of unread answers from which on decoupled models are told to stop. */
  static final long MAX_UNREAD_BYTES = 128L << 20;

  /** What an answer costs beside its bytes. */
  static final int OVERHEAD = 1024;

  private int requests;
  private long inputBytes;
  private int answers;
  private long answerBytes;

  void addRequest(long byteSize) {
    requests++;
    inputBytes += byteSize;
  }

  void removeRequest(long byteSize) {
    requests--;
    inputBytes -= byteSize;
  }

  void addAnswer(long byteSize) {
    answers++;
    answerBytes += byteSize + OVERHEAD;
  }

  void removeAnswer(long byteSize) {
    answers--;
    answerBytes -= byteSize + OVERHEAD;
  }

  /** Whether another request may be read. */
  boolean isOpen() {
    return requests + answers < MAX_MESSAGES && inputBytes + answerBytes < MAX_BYTES;
  }

  /** Whether the client reads so slowly that no further answer can be kept for it. */
  boolean isFull() {
    return answerBytes >= MAX_UNREAD_BYTES;
  }
}
