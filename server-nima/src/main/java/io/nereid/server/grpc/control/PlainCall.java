package io.nereid.server.grpc.control;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.RequestMemory.Reservation;
import io.nereid.engine.request.UnexpectedFailures;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.RequestLimits;
import io.nereid.server.grpc.call.ClientMessages;
import io.nereid.server.grpc.call.GrpcErrors;
import io.nereid.server.grpc.limits.GrpcStatuses;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method without tensors, which has one message. Messages are small, since the objects
 * of one may be fifty times as large. A load may carry files, and is counted for its client until
 * it has ended. A message that is not of the method's type ends the call as INVALID_ARGUMENT; gRPC
 * alone would end it as UNKNOWN, and log a stack trace. Used by the call's event loop.
 *
 * @param <Q> the request
 * @param <R> the response
 */
final class PlainCall<Q, R> extends ServerCall.Listener<InputStream> {
  /** Where responses go to a client until it leaves. */
  interface ResponseSink<R> {
    /** Whether the client reads what it is sent. */
    boolean isReady();

    /** Sends a response; by one thread at a time. */
    void send(R response);
  }

  private static final System.Logger LOG = System.getLogger(PlainCall.class.getName());

  /** What a compressed message is counted as, which may have no more bytes. */
  private static final int COMPRESSED = 1 << 20;

  private final ServerCall<InputStream, R> call;
  private final MethodDescriptor<Q, R> method;
  private final BiConsumer<Q, PlainCall<Q, R>> service;
  private final ClientMessages messages;
  private @Nullable Q request;

  /** Of a load's message, until a thread takes it or the call ends. */
  private @Nullable Reservation reservation;

  private boolean refused;
  private Runnable whenLeft = () -> {};

  PlainCall(
      ServerCall<InputStream, R> call,
      MethodDescriptor<Q, R> method,
      BiConsumer<Q, PlainCall<Q, R>> service,
      ClientMessages messages) {
    this.call = call;
    this.method = method;
    this.service = service;
    this.messages = messages;
  }

  /** gRPC calls it once the client has sent all. */
  @Override
  public void onMessage(InputStream bytes) {
    if (refused) {
      return;
    }
    try {
      if (request != null) {
        throw Status.INTERNAL.withDescription("Too many requests").asRuntimeException();
      }
      if (method.getFullMethodName().equals(PlainMethods.LOAD)) {
        int byteSize = bytes.available();
        reservation = messages.reserve(call, byteSize == 0 ? COMPRESSED : byteSize);
        request = method.parseRequest(bytes);
      } else {
        request = method.parseRequest(new ByteArrayInputStream(read(bytes)));
      }
    } catch (Throwable thrown) {
      refuse(thrown);
    }
  }

  private static byte[] read(InputStream bytes) throws IOException {
    byte[] message = bytes.readNBytes(RequestLimits.MAX_PLAIN_REQUEST + 1);
    if (message.length > RequestLimits.MAX_PLAIN_REQUEST) {
      throw GrpcStatuses.tooLargeForMethod().asRuntimeException();
    }
    return message;
  }

  @Override
  public void onHalfClose() {
    if (refused) {
      return;
    }
    try {
      if (request == null) {
        throw Status.INTERNAL.withDescription("Half-closed without a request").asRuntimeException();
      }
      service.accept(request, this);
    } catch (Throwable thrown) {
      refuse(thrown);
    }
  }

  @Override
  public void onCancel() {
    release();
    whenLeft.run();
  }

  @Override
  public void onComplete() {
    release();
  }

  ClientKey client() {
    return ClientMessages.client(call);
  }

  /** Sends the only response. */
  void answer(R response) {
    try {
      call.sendHeaders(new Metadata());
      call.sendMessage(response);
      call.close(Status.OK, new Metadata());
    } catch (RuntimeException closed) { // by the client, or since the server has stopped
      LOG.log(System.Logger.Level.DEBUG, "a response was not sent", closed);
    }
  }

  /**
   * Has a virtual thread find the response, since that may wait. A call that ends early, by its
   * deadline or because the server stops, leaves its thread to finish.
   */
  void answerLater(Supplier<R> work) {
    String name = Objects.requireNonNull(method.getBareMethodName());
    Reservation held = reservation;
    Runnable task =
        () -> {
          R response;
          try (held) {
            response = work.get();
          } catch (Throwable thrown) {
            close(UnexpectedFailures.of(LOG, name, thrown));
            return;
          }
          answer(response);
        };
    Thread.ofVirtual().name(name).start(Context.current().wrap(task));
    reservation = null; // the thread has it; without a thread it is released with the call
  }

  /**
   * Sends responses until the client leaves.
   *
   * @param subscription begins, and returns how it ends
   */
  void subscribe(Function<ResponseSink<R>, Runnable> subscription) {
    call.sendHeaders(new Metadata());
    whenLeft =
        subscription.apply(
            new ResponseSink<>() {
              @Override
              public boolean isReady() {
                return call.isReady();
              }

              @Override
              public void send(R response) {
                call.sendMessage(response);
              }
            });
  }

  private void refuse(Throwable thrown) {
    release();
    refused = true;
    switch (thrown) {
      case StatusRuntimeException failure -> {
        Throwable cause = failure.getCause();
        if (cause == null) {
          close(failure.getStatus(), new Metadata());
        } else {
          close(malformed(cause));
        }
      }
      case IOException malformed -> close(malformed(malformed));
      default -> close(UnexpectedFailures.of(LOG, method.getFullMethodName(), thrown));
    }
  }

  private static InferenceException malformed(Throwable cause) {
    return InferenceException.invalid(
        "request is not a valid protobuf message: " + cause.getMessage());
  }

  private void close(InferenceException failure) {
    close(GrpcErrors.status(failure), GrpcErrors.trailers(failure));
  }

  private void close(Status status, Metadata trailers) {
    try {
      call.close(status, trailers);
    } catch (RuntimeException closed) {
      LOG.log(System.Logger.Level.DEBUG, "a failure was not sent", closed);
    }
  }

  private void release() {
    if (reservation != null) {
      reservation.close();
      reservation = null;
    }
  }
}
