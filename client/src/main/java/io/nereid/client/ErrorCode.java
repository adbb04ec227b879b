package io.nereid.client;

/** What kind of failure it is, for programs. The names are gRPC's, but for the last. */
public enum ErrorCode {
  /** The call was cancelled, by its caller or by the server. */
  CANCELLED,
  /** The server does not say. */
  UNKNOWN,
  /** The request is wrong, whatever the state of the server. */
  INVALID_ARGUMENT,
  /** The time for the call is over. */
  DEADLINE_EXCEEDED,
  /** There is no such model, version or region. */
  NOT_FOUND,
  /** What should be made exists. */
  ALREADY_EXISTS,
  /** The caller may not do this. */
  PERMISSION_DENIED,
  /** The server does not know who calls. */
  UNAUTHENTICATED,
  /** The server has more requests than it can serve. */
  RESOURCE_EXHAUSTED,
  /** The server, or this transport, cannot do this. */
  UNIMPLEMENTED,
  /** The server or the model failed. */
  INTERNAL,
  /** There is no connection, or the server cannot serve this now. */
  UNAVAILABLE,
  /** What came back is not an answer of the v2 protocol, or longer than the client's limit. */
  BAD_RESPONSE
}
