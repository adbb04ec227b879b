package io.nereid.server.grpc.connection;

/**
 * What a request to {@code ModelInfer} begins with.
 *
 * @param modelVersion empty for the newest
 * @param id the client's id; empty if it sent none
 */
public record MessageHead(String modelName, String modelVersion, String id) {
  /** A call that is told of the head of its message, before the message has come whole. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * Called by the event loop of the connection, at most once.
     *
     * @return whether the call has ended, so that the rest of the message is useless
     */
    boolean headCame(MessageHead head);
  }
}
