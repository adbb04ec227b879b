package io.nereid.engine.telemetry.trace;

/** The stages of a request, with Triton's names. */
public enum TracePoint implements TraceActivity {
  /** The head of a request has been read. */
  HTTP_RECV_START,
  /** The body of a request has been read and decoded. */
  HTTP_RECV_END,
  HTTP_SEND_START,
  HTTP_SEND_END,
  /** A message has been read. */
  GRPC_WAITREAD_START,
  /** A message has been decoded. */
  GRPC_WAITREAD_END,
  GRPC_SEND_START,
  GRPC_SEND_END,
  REQUEST_START,
  QUEUE_START,
  COMPUTE_START,
  COMPUTE_INPUT_END,
  COMPUTE_OUTPUT_START,
  COMPUTE_END,
  REQUEST_END,
  /** A response has reached the front end. */
  INFER_RESPONSE_COMPLETE;

  @Override
  public String label() {
    return name();
  }
}
