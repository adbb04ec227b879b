package io.nereid.server.grpc.limits;

import io.nereid.engine.telemetry.refusal.RefusalKind;

/** Why the listener has refused or ended something of a client. */
public enum GrpcRefusal implements RefusalKind {
  CONNECTIONS("connections above --grpc-max-connections are closed"),
  CLIENT_CONNECTIONS("connections of a client above --grpc-max-connections-per-client are closed"),
  ROOM("connections without a call are closed for new ones"),
  HANDSHAKE("connections that have not begun with HTTP/2 in time are closed"),
  HANDSHAKE_FAILED("handshakes of TLS fail, by a client's certificate or its alert"),
  CONTROL_FRAMES("connections with too many control frames are closed"),
  RESETS("connections with more resets than --grpc-max-resets are closed"),
  REQUESTS("calls above --grpc-max-requests are refused"),
  CLIENT_REQUESTS("calls of a client above its share of --grpc-max-requests are refused"),
  REQUEST_SIZE("messages above --grpc-max-request-size are refused"),
  MEMORY("messages without memory to receive or to send them are refused"),
  SLOW_REQUEST("calls whose request does not come in time are ended"),
  SLOW_READER("calls whose response is not read in time are ended"),
  IDLE_STREAM("streams without a request for --grpc-stream-idle-timeout-secs are ended");

  private final String event;

  GrpcRefusal(String event) {
    this.event = event;
  }

  @Override
  public String event() {
    return event;
  }
}
