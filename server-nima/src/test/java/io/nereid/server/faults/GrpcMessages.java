package io.nereid.server.faults;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.nereid.tck.wire.GRPCInferenceServiceGrpc;
import io.nereid.tck.wire.health.HealthGrpc;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The messages of a method, as bytes and in protobuf's text format on one line. */
record GrpcMessages(Message request, Message answer) {
  private static final Map<String, GrpcMessages> METHODS =
      Stream.of(GRPCInferenceServiceGrpc.getServiceDescriptor(), HealthGrpc.getServiceDescriptor())
          .flatMap(service -> service.getMethods().stream())
          .collect(Collectors.toMap(MethodDescriptor::getFullMethodName, GrpcMessages::of));

  private static GrpcMessages of(MethodDescriptor<?, ?> method) {
    return new GrpcMessages(
        prototype(method.getRequestMarshaller()), prototype(method.getResponseMarshaller()));
  }

  private static Message prototype(MethodDescriptor.Marshaller<?> marshaller) {
    Object prototype = ((PrototypeMarshaller<?>) marshaller).getMessagePrototype();
    return (Message) Objects.requireNonNull(prototype);
  }

  /** Those of a method by its full name; empty if there is no such method. */
  static Optional<GrpcMessages> of(String method) {
    return Optional.ofNullable(METHODS.get(method));
  }

  /** A request's text; empty if the bytes are no such message. */
  String requestText(byte[] bytes) {
    return text(request, bytes);
  }

  /** Another request. */
  byte[] request(byte[] bytes, Function<String, String> change) {
    return bytes(request, change.apply(requestText(bytes)));
  }

  /** Another message of the answer. */
  byte[] answer(byte[] bytes, Function<String, String> change) {
    return answer(change.apply(text(answer, bytes)));
  }

  /** A message of the answer. */
  byte[] answer(String text) {
    return bytes(answer, text);
  }

  private static String text(Message prototype, byte[] bytes) {
    try {
      Message message = prototype.getParserForType().parseFrom(bytes);
      return TextFormat.printer().printToString(message).replaceAll("\\s*\\n\\s*", " ").strip();
    } catch (InvalidProtocolBufferException none) {
      return "";
    }
  }

  private static byte[] bytes(Message prototype, String text) {
    Message.Builder builder = prototype.newBuilderForType();
    try {
      TextFormat.merge(text, builder);
    } catch (TextFormat.ParseException wrong) {
      throw new IllegalArgumentException(text, wrong);
    }
    return builder.build().toByteArray();
  }
}
