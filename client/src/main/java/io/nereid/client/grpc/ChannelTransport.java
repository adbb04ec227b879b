package io.nereid.client.grpc;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.nereid.client.Call;
import io.nereid.client.CallContext;
import io.nereid.client.ClientTransport;
import io.nereid.client.FailedStream;
import io.nereid.client.GenerateRequest;
import io.nereid.client.Generated;
import io.nereid.client.InferRequest;
import io.nereid.client.InferResponse;
import io.nereid.client.Management;
import io.nereid.client.NereidException;
import io.nereid.client.Sentences;
import io.nereid.client.TransportFactory;
import io.nereid.client.TransportSettings;
import io.nereid.client.WireRequest;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.protocol.inference.ModelInferResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls over gRPC. */
public final class ChannelTransport implements ClientTransport {
  private final MethodDescriptor<ModelInferRequest, ModelInferResponse> infer;
  private final Channel channel;
  private final Runnable reconnect;
  private final Runnable close;
  private final String address;
  private final int maxResponseBytes;

  /** What all calls have. */
  private final CallOptions options;

  private volatile boolean isClosed;

  /**
   * A transport over a channel.
   *
   * @param reconnect has the channel connect now, rather than after the pause that grows with the
   *     number of its failures, to two minutes
   */
  ChannelTransport(
      Channel channel,
      Runnable reconnect,
      Runnable close,
      String address,
      TransportSettings settings) {
    this.channel = channel;
    this.reconnect = reconnect;
    this.close = close;
    this.address = address;
    maxResponseBytes = settings.maxResponseBytes();
    CallOptions all = CallOptions.DEFAULT.withMaxInboundMessageSize(maxResponseBytes);
    try {
      infer = GRPCInferenceServiceGrpc.getModelInferMethod();
    } catch (LinkageError older) {
      throw GrpcLibraries.wrong(older);
    }
    this.options = settings.gzip() ? all.withCompression("gzip") : all;
  }

  /**
   * Calls over a channel of yours, which is not closed. What the client's builder says of TLS and
   * of connecting is not used.
   */
  public static TransportFactory over(Channel channel) {
    return (address, settings) ->
        new ChannelTransport(channel, () -> {}, () -> {}, address.toString(), settings);
  }

  /** The channel with the headers of a call. */
  Channel channel(MethodDescriptor<?, ?> method, MessageLite message, CallContext context) {
    Function<WireRequest, Map<String, String>> signing = context.signing();
    Map<String, String> headers =
        signing == null
            ? context.headers()
            : signing.apply(
                new WireRequest(
                    "POST",
                    "/" + method.getFullMethodName(),
                    List.of(message.toByteString().asReadOnlyByteBuffer())));
    if (headers.isEmpty()) {
      return channel;
    }
    Metadata metadata = new Metadata();
    for (Map.Entry<String, String> header : headers.entrySet()) {
      metadata.put(
          Metadata.Key.of(header.getKey(), Metadata.ASCII_STRING_MARSHALLER), header.getValue());
    }
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  SendTracer tracer(CallContext context) {
    return new SendTracer(context, this);
  }

  String tooLong() {
    return Sentences.tooLong(maxResponseBytes);
  }

  /** Has the next call find a connection, if the server is there by then. */
  void reconnect() {
    reconnect.run();
  }

  boolean isClosed() {
    return isClosed;
  }

  CallOptions options(CallContext context, SendTracer tracer) {
    return options
        .withStreamTracerFactory(tracer)
        .withDeadlineAfter(Math.max(1, context.nanosLeft()), NANOSECONDS);
  }

  String asked(Object what) {
    return what + " at " + address;
  }

  @Override
  public InferResponse infer(InferRequest request, CallContext context) {
    SendTracer tracer = tracer(context);
    ModelInferRequest message = InferMessages.request(request);
    Channel signed = channel(infer, message, context);
    try {
      return InferMessages.response(
          request,
          ClientCalls.blockingUnaryCall(signed, infer, options(context, tracer), message),
          address);
    } catch (StatusRuntimeException e) {
      throw StatusFailures.of(e.getStatus(), e.getTrailers(), tracer, asked(request), e);
    }
  }

  @Override
  public Call<InferResponse> inferAsync(InferRequest request, CallContext context) {
    return unary(
        infer,
        InferMessages.request(request),
        context,
        request,
        message -> InferMessages.response(request, message, address));
  }

  /**
   * A call with one message each way.
   *
   * @param asked what it asks for, by its {@code toString}
   * @param reading makes the result of the answer; throws as that of {@link Call#map}
   */
  <Q extends MessageLite, A, R extends @Nullable Object> Call<R> unary(
      MethodDescriptor<Q, A> method,
      Q message,
      CallContext context,
      Object asked,
      Function<? super A, ? extends R> reading) {
    Call<R> result = new Call<>();
    SendTracer tracer = tracer(context);
    ClientCall<Q, A> call =
        channel(method, message, context).newCall(method, options(context, tracer));
    ClientCalls.asyncUnaryCall(
        call, message, new Answer<>(result, reading, tracer, () -> asked(asked)));
    // after it has been sent: gRPC sends nothing of a call that is cancelled, and throws
    result.onAbort(() -> call.cancel("the caller has cancelled the call", null));
    return result;
  }

  private record Answer<A, R extends @Nullable Object>(
      Call<R> result,
      Function<? super A, ? extends R> reading,
      SendTracer tracer,
      Supplier<String> asked)
      implements StreamObserver<A> {
    @Override
    public void onNext(A message) {
      result.guard(() -> result.complete(Call.read(asked, reading, message)));
    }

    @Override
    public void onError(Throwable failure) {
      result.guard(() ->
          result.completeExceptionally(
              failure instanceof StatusRuntimeException e
                  ? StatusFailures.of(e.getStatus(), e.getTrailers(), tracer, asked.get(), e)
                  : failure));
    }

    @Override
    public void onCompleted() {
      // the message came before
    }
  }

  @Override
  public Flow.Publisher<InferResponse> stream(InferRequest request, CallContext context) {
    return subscriber -> InferStream.start(this, request, context, subscriber);
  }

  @Override
  public Call<Generated> generate(GenerateRequest request, CallContext context) {
    return Call.failed(noGenerate(request));
  }

  @Override
  public Flow.Publisher<Generated> generateStream(GenerateRequest request, CallContext context) {
    return new FailedStream<>(noGenerate(request));
  }

  private NereidException noGenerate(GenerateRequest request) {
    return NereidException.unimplemented(
        asked(request), "gRPC has no generate: use an address with http://, or stream");
  }

  @Override
  public Management management() {
    return new GrpcManagement(this);
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public void close() {
    isClosed = true;
    close.run();
  }
}
