package io.nereid.tck.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.nereid.tck.support.WireLog;
import io.nereid.tck.support.WireMessage;
import java.util.Arrays;
import java.util.Objects;

/** Puts the messages of all calls, and the statuses of failed ones, into a log. */
record RecordedCalls(WireLog log) implements ClientInterceptor {
  /** Larger messages are kept without their text. */
  private static final int MAX_BYTES_OF_TEXT = 64 << 10;

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    ClientCall<Q, A> call = next.newCall(method, options);
    if (!log.isKept()) {
      return call;
    }
    String name = Objects.requireNonNull(method.getBareMethodName());
    return new SimpleForwardingClientCall<>(call) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<>(listener) {
              @Override
              public void onMessage(A message) {
                log.add(message(false, name, "", message));
                super.onMessage(message);
              }

              @Override
              public void onClose(Status status, Metadata trailers) {
                if (!status.isOk()) {
                  String text = status.getCode() + ": " + status.getDescription();
                  log.add(
                      new WireMessage(false, name, "", new byte[0], 0, WireMessage.limited(text)));
                }
                super.onClose(status, trailers);
              }
            },
            headers);
      }

      @Override
      public void sendMessage(Q message) {
        log.add(message(true, name, modelOf(name, message), message));
        super.sendMessage(message);
      }
    };
  }

  /** A message, which is protobuf's or, where a test sends it wrong, bytes. */
  private static WireMessage message(boolean isSent, String call, String model, Object message) {
    byte[] bytes = message instanceof Message known ? known.toByteArray() : (byte[]) message;
    String text =
        message instanceof Message known && bytes.length <= MAX_BYTES_OF_TEXT
            ? TextFormat.printer().printToString(known)
            : "";
    byte[] kept = Arrays.copyOf(bytes, Math.min(bytes.length, WireMessage.MAX_BYTES));
    return new WireMessage(isSent, call, model, kept, bytes.length, WireMessage.limited(text));
  }

  /** The model that a request names, in {@code model_name} or {@code name}. */
  private static String modelOf(String call, Object message) {
    if (!(message instanceof Message request)) {
      return "";
    }
    String model = text(request, "model_name") + text(request, "name");
    boolean isOfAll = call.equals("RepositoryIndex") || call.equals("ModelStatistics");
    return model.isEmpty() && isOfAll ? WireMessage.ALL_MODELS : model;
  }

  private static String text(Message request, String field) {
    FieldDescriptor found = request.getDescriptorForType().findFieldByName(field);
    return found != null && request.getField(found) instanceof String value ? value : "";
  }
}
