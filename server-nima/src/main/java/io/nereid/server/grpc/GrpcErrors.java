package io.nereid.server.grpc;

import io.grpc.Status;
import io.nereid.error.InferenceException;

/** The only place where a failure becomes a gRPC status. */
final class GrpcErrors {
  private GrpcErrors() {}

  static Status status(InferenceException failure) {
    Status.Code code =
        switch (failure.code()) {
          case UNKNOWN -> Status.Code.UNKNOWN;
          case INTERNAL -> Status.Code.INTERNAL;
          case NOT_FOUND -> Status.Code.NOT_FOUND;
          case INVALID_ARGUMENT -> Status.Code.INVALID_ARGUMENT;
          case UNAVAILABLE -> Status.Code.UNAVAILABLE;
          case UNSUPPORTED -> Status.Code.UNIMPLEMENTED;
          case ALREADY_EXISTS -> Status.Code.ALREADY_EXISTS;
          case CANCELLED -> Status.Code.CANCELLED;
          case RESOURCE_EXHAUSTED -> Status.Code.RESOURCE_EXHAUSTED;
        };
    return code.toStatus().withDescription(failure.getMessage());
  }

  /** The failure of requests that arrive while the server stops. */
  static InferenceException stopping() {
    return InferenceException.unavailable(
        "GRPC server is shutting down and has stopped accepting new requests.");
  }
}
