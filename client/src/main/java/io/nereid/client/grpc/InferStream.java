package io.nereid.client.grpc;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.nereid.client.CallContext;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.NereidException;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelStreamInferResponse;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The responses to one request: a stream of gRPC of its own, so that its end is the stream's. The
 * subscriber's demand is gRPC's.
 */
final class InferStream extends ClientCall.Listener<ModelStreamInferResponse>
    implements Flow.Subscription {
  private static final MethodDescriptor<ModelInferRequest, ModelStreamInferResponse> STREAM =
      GRPCInferenceServiceGrpc.getModelStreamInferMethod();

  /** Asks Triton for the status of an error, instead of its text alone. */
  private static final Metadata.Key<String> STATUSES =
      Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER);

  private final ClientCall<ModelInferRequest, ModelStreamInferResponse> call;
  private final SendTracer tracer;
  private final InferRequest request;
  private final ModelInferRequest message;
  private final String address;
  private final Flow.Subscriber<? super InferResponse> subscriber;
  private boolean isStarted;
  private boolean isOver;
  private long demanded;

  /** Why the call ends at once; null if it does not. */
  private @Nullable String refusal;

  private InferStream(
      ClientCall<ModelInferRequest, ModelStreamInferResponse> call,
      SendTracer tracer,
      InferRequest request,
      ModelInferRequest message,
      String address,
      Flow.Subscriber<? super InferResponse> subscriber) {
    this.call = call;
    this.tracer = tracer;
    this.request = request;
    this.message = message;
    this.address = address;
    this.subscriber = subscriber;
  }

  static void start(
      ChannelTransport transport,
      InferRequest request,
      CallContext context,
      Flow.Subscriber<? super InferResponse> subscriber) {
    SendTracer tracer = transport.tracer(context);
    ModelInferRequest message = InferMessages.request(request);
    ClientCall<ModelInferRequest, ModelStreamInferResponse> call =
        transport
            .channel(STREAM, message, context)
            .newCall(STREAM, transport.options(context, tracer));
    InferStream stream =
        new InferStream(call, tracer, request, message, transport.address(), subscriber);
    subscriber.onSubscribe(stream);
    stream.send();
  }

  /** Starts the call, now that the subscriber can be called. */
  private synchronized void send() {
    if (isOver) {
      return;
    }
    Metadata metadata = new Metadata();
    metadata.put(STATUSES, "true");
    call.start(this, metadata);
    isStarted = true;
    if (refusal != null) {
      call.cancel(refusal, null); // which ends the stream
      return;
    }
    if (demanded > 0) {
      call.request(atMostMax(demanded));
    }
    call.sendMessage(message);
    call.halfClose();
  }

  private static int atMostMax(long count) {
    return (int) Math.min(Integer.MAX_VALUE, count);
  }

  @Override
  public synchronized void request(long count) {
    if (count <= 0) {
      refusal = "the subscriber has requested " + count + " responses";
      if (isStarted) {
        call.cancel(refusal, null);
      }
    } else if (isStarted) {
      call.request(atMostMax(count));
    } else {
      demanded = atMostMax(demanded + atMostMax(count));
    }
  }

  @Override
  public void cancel() {
    synchronized (this) {
      isOver = true;
    }
    call.cancel("the subscriber has cancelled", null);
  }

  /** Whether the subscriber is still to be told; not again after its end. */
  private synchronized boolean isOpen(boolean ends) {
    boolean open = !isOver;
    isOver |= ends;
    return open;
  }

  @Override
  public void onMessage(ModelStreamInferResponse message) {
    try {
      if (!message.getErrorMessage().isEmpty()) {
        throw StatusFailures.ofMessage(message.getErrorMessage(), request + " at " + address);
      }
      InferResponse response = InferMessages.response(request, message.getInferResponse(), address);
      if (isOpen(false)) {
        subscriber.onNext(response);
      }
    } catch (NereidException e) {
      if (isOpen(true)) {
        subscriber.onError(e);
      }
      call.cancel("the stream has failed", e);
    }
  }

  @Override
  public void onClose(Status status, Metadata trailers) {
    if (!isOpen(true)) {
      return;
    }
    if (status.isOk()) {
      subscriber.onComplete();
    } else {
      subscriber.onError(
          StatusFailures.of(
              status, trailers, tracer, request + " at " + address, status.asException(trailers)));
    }
  }
}
