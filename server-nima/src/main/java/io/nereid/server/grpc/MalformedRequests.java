package io.nereid.server.grpc;

import io.grpc.BindableService;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/**
 * Ends calls whose request is not a message of the method's type as INVALID_ARGUMENT. gRPC alone
 * would end each as UNKNOWN, and log a stack trace. For methods with one request.
 */
final class MalformedRequests implements ServerInterceptor {
  private MalformedRequests() {}

  /** The methods of a service, with that check. */
  static ServerServiceDefinition refusedBy(BindableService service) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useInputStreamMessages(service.bindService()), new MalformedRequests());
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
      private boolean refused;

      @Override
      public void onMessage(Q bytes) {
        try {
          super.onMessage(bytes); // parses them, and keeps the message until the half-close
        } catch (StatusRuntimeException malformed) {
          refused = true;
          Throwable cause = malformed.getCause() == null ? malformed : malformed.getCause();
          call.close(
              Status.INVALID_ARGUMENT.withDescription(
                  "request is not a valid protobuf message: " + cause.getMessage()),
              new Metadata());
        }
      }

      @Override
      public void onHalfClose() {
        if (!refused) {
          super.onHalfClose();
        }
      }
    };
  }
}
