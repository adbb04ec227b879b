package io.nereid.server.grpc;

import io.grpc.BindableService;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.grpc.connection.TransportMemory.Reservation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The requests of methods without tensors, each of which has one. Their messages are small, since
 * the objects of one may be fifty times as large. A load may carry files, and is counted for its
 * client until it has ended. A request that is no message of the method's type ends its call as
 * INVALID_ARGUMENT; gRPC alone would end it as UNKNOWN, and log a stack trace.
 */
final class PlainRequests implements ServerInterceptor {
  /** The full name of the method whose messages may be large. */
  static final String LOAD =
      GRPCInferenceServiceGrpc.getRepositoryModelLoadMethod().getFullMethodName();

  private static final System.Logger LOG = System.getLogger(PlainRequests.class.getName());
  private static final Context.Key<Held> HELD = Context.key("what a request is counted by");

  /** What a compressed message is counted as, which may have no more bytes. */
  private static final int COMPRESSED = 1 << 20;

  private final ClientMessages messages;

  private PlainRequests(ClientMessages messages) {
    this.messages = messages;
  }

  /** The methods of a service, with these checks. */
  static ServerServiceDefinition of(BindableService service, ClientMessages messages) {
    return ServerInterceptors.intercept(
        ServerInterceptors.useInputStreamMessages(service.bindService()),
        new PlainRequests(messages));
  }

  /** Whom a request is counted for, and a load's memory until it is taken or its call ends. */
  private static final class Held {
    private final ClientKey client;
    private @Nullable Reservation reservation;

    Held(ClientKey client) {
      this.client = client;
    }

    @Nullable Reservation take() {
      Reservation taken = reservation;
      reservation = null;
      return taken;
    }

    void close() {
      Reservation left = take();
      if (left != null) {
        left.close();
      }
    }
  }

  /**
   * Takes the memory by which the present request is counted, to be closed once it is served; null
   * if it is not counted. Called by the method that serves it.
   */
  static @Nullable Reservation takeMemory() {
    Held held = HELD.get();
    return held == null ? null : held.take();
  }

  /** Whose the present request is. Called by the method that serves it. */
  static ClientKey client() {
    Held held = HELD.get();
    return held == null ? ClientKey.LOCAL : held.client;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean isLoad = call.getMethodDescriptor().getFullMethodName().equals(LOAD);
    return new Request<>(call, next.startCall(call, headers), isLoad);
  }

  private final class Request<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final ServerCall<Q, R> call;
    private final boolean isLoad;
    private final Held held;
    private boolean refused;

    Request(ServerCall<Q, R> call, ServerCall.Listener<Q> next, boolean isLoad) {
      super(next);
      this.call = call;
      this.isLoad = isLoad;
      this.held = new Held(ClientMessages.client(call));
    }

    /** gRPC calls it once the client has sent all. */
    @Override
    @SuppressWarnings("unchecked") // all messages are streams
    public void onMessage(Q received) {
      if (refused) {
        return;
      }
      try {
        var bytes = (InputStream) received;
        if (isLoad) {
          held.close();
          int byteSize = bytes.available();
          held.reservation = messages.reserve(call, byteSize == 0 ? COMPRESSED : byteSize);
          super.onMessage(received); // parses the message
        } else {
          super.onMessage((Q) new ByteArrayInputStream(read(bytes)));
        }
      } catch (Throwable thrown) {
        refuse(thrown);
      }
    }

    private static byte[] read(InputStream bytes) throws IOException {
      byte[] message = bytes.readNBytes(RequestLimits.MAX_PLAIN_REQUEST + 1);
      if (message.length > RequestLimits.MAX_PLAIN_REQUEST) {
        throw Status.RESOURCE_EXHAUSTED
            .withDescription(
                "the message is larger than %d bytes, the limit of this method"
                    .formatted(RequestLimits.MAX_PLAIN_REQUEST))
            .asRuntimeException();
      }
      return message;
    }

    private void refuse(Throwable thrown) {
      held.close();
      if (!refused) {
        refused = true;
        try {
          call.close(status(thrown), trailers(thrown));
        } catch (IllegalStateException answered) {
          LOG.log(System.Logger.Level.DEBUG, "a failure was not sent", answered);
        }
      }
    }

    private Status status(Throwable thrown) {
      return switch (thrown) {
        case InferenceException failure -> GrpcErrors.status(failure);
        case StatusRuntimeException failure -> {
          Throwable malformed = failure.getCause();
          yield malformed == null ? failure.getStatus() : malformed(malformed);
        }
        case IOException malformed -> malformed(malformed);
        default ->
            GrpcErrors.status(
                UnexpectedFailures.of(LOG, call.getMethodDescriptor().getFullMethodName(), thrown));
      };
    }

    private static Metadata trailers(Throwable thrown) {
      return thrown instanceof InferenceException failure
          ? GrpcErrors.trailers(failure)
          : new Metadata();
    }

    private static Status malformed(Throwable cause) {
      return Status.INVALID_ARGUMENT.withDescription(
          "request is not a valid protobuf message: " + cause.getMessage());
    }

    @Override
    public void onHalfClose() {
      if (refused) {
        return;
      }
      try {
        Context.current().withValue(HELD, held).run(super::onHalfClose);
      } catch (Throwable thrown) {
        refuse(thrown);
      }
    }

    @Override
    public void onCancel() {
      held.close();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      held.close();
      super.onComplete();
    }
  }
}
