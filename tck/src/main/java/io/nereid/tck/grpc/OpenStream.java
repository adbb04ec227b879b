package io.nereid.tck.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.nereid.tck.support.Polling;
import io.nereid.tck.wire.GRPCInferenceServiceGrpc;
import io.nereid.tck.wire.ModelInferRequest;
import io.nereid.tck.wire.ModelStreamInferResponse;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A client's end of {@code ModelStreamInfer}, used by one thread. */
final class OpenStream implements AutoCloseable {
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);

  private final ClientCall<ModelInferRequest, ModelStreamInferResponse> call;

  /** Messages, and behind them the status that the stream ends with. */
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  private OpenStream(Channel channel, Metadata headers) {
    call =
        channel.newCall(GRPCInferenceServiceGrpc.getModelStreamInferMethod(), CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(ModelStreamInferResponse message) {
            received.add(message);
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            received.add(status);
          }
        },
        headers);
    call.request(1);
  }

  static OpenStream on(Channel channel) {
    return new OpenStream(channel, new Metadata());
  }

  /** With the header {@code triton_grpc_error}. */
  static OpenStream withGrpcErrors(Channel channel, String value) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER), value);
    return new OpenStream(channel, headers);
  }

  void send(ModelInferRequest.Builder request) {
    call.sendMessage(request.build());
  }

  /** No further request will come. */
  void halfClose() {
    call.halfClose();
  }

  void cancel() {
    call.cancel("enough", null);
  }

  /** Waits for the next message. */
  ModelStreamInferResponse next() {
    Object event = take();
    if (event instanceof ModelStreamInferResponse message) {
      return message;
    }
    throw new AssertionError("the stream ended: " + event);
  }

  /** Waits for the stream's end, which must come before another message. */
  Status end() {
    Object event = take();
    if (event instanceof Status status) {
      return status;
    }
    throw new AssertionError("a message instead of the end: " + event);
  }

  private Object take() {
    try {
      long millis = Polling.maxWait(MAX_WAIT).toMillis();
      Object event = received.poll(millis, TimeUnit.MILLISECONDS);
      if (event == null) {
        throw new AssertionError("nothing came for %d ms".formatted(millis));
      }
      return event;
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
  }

  @Override
  public void close() {
    cancel();
  }
}
