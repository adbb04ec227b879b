package io.nereid.server.grpc.control;

import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.nereid.engine.memory.ClientKey;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.server.grpc.call.CallAdmission;
import io.nereid.server.grpc.call.ClientMessages;
import java.io.InputStream;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** The methods without tensors, as rows of a table: a method, and what answers a request to it. */
public record PlainMethods(CallAdmission admission, ClientMessages messages) {
  /** The full name of the method whose messages may be large. */
  public static final String LOAD =
      GRPCInferenceServiceGrpc.getRepositoryModelLoadMethod().getFullMethodName();

  private static final MethodDescriptor.Marshaller<InputStream> UNREAD =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(InputStream message) {
          return message;
        }

        @Override
        public InputStream parse(InputStream message) {
          return message;
        }
      };

  /** A method that an event loop answers. */
  <Q, R> ServerMethodDefinition<?, R> quick(
      MethodDescriptor<Q, R> method, BiFunction<Q, ClientKey, R> answer) {
    return row(method, /* isLimited= */ true, answering(answer));
  }

  /** The same for a method whose calls are answered above the limits of calls, too. */
  <Q, R> ServerMethodDefinition<?, R> always(
      MethodDescriptor<Q, R> method, BiFunction<Q, ClientKey, R> answer) {
    return row(method, /* isLimited= */ false, answering(answer));
  }

  private static <Q, R> BiConsumer<Q, PlainCall<Q, R>> answering(
      BiFunction<Q, ClientKey, R> answer) {
    return (request, call) -> call.answer(answer.apply(request, call.client()));
  }

  /** A method whose answer may wait, so that a virtual thread finds it. */
  <Q, R> ServerMethodDefinition<?, R> blocking(
      MethodDescriptor<Q, R> method, BiFunction<Q, ClientKey, R> answer) {
    return row(
        method,
        /* isLimited= */ true,
        (request, call) -> call.answerLater(() -> answer.apply(request, call.client())));
  }

  /**
   * A method that sends responses until its client leaves.
   *
   * @param subscription begins to send them, and returns what ends that
   */
  <Q, R> ServerMethodDefinition<?, R> subscription(
      MethodDescriptor<Q, R> method,
      BiFunction<Q, PlainCall.ResponseSink<R>, Runnable> subscription) {
    return row(
        method,
        /* isLimited= */ true,
        (request, call) -> call.subscribe(client -> subscription.apply(request, client)));
  }

  private <Q, R> ServerMethodDefinition<?, R> row(
      MethodDescriptor<Q, R> method, boolean isLimited, BiConsumer<Q, PlainCall<Q, R>> service) {
    return ServerMethodDefinition.create(
        method.toBuilder(UNREAD, method.getResponseMarshaller()).build(),
        (call, _) -> {
          if (isLimited && admission.refuses(call)) {
            return new ServerCall.Listener<>() {};
          }
          call.request(2); // the second only to notice a client that sends one too many
          return new PlainCall<>(call, method, service, messages);
        });
  }

  /** A service with these methods, described as the generated one. */
  public static ServerServiceDefinition service(
      ServiceDescriptor generated, List<ServerMethodDefinition<?, ?>> methods) {
    var descriptor =
        ServiceDescriptor.newBuilder(generated.getName())
            .setSchemaDescriptor(generated.getSchemaDescriptor());
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    var definition = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(definition::addMethod);
    return definition.build();
  }
}
