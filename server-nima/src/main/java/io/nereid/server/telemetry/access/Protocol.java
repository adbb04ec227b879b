package io.nereid.server.telemetry.access;

/** The protocol of a request. */
public enum Protocol {
  HTTP,
  GRPC
}
