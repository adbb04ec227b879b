package io.nereid.server.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.util.List;
import java.util.Objects;

/**
 * gRPC's server reflection, by which clients such as grpcurl learn the services and messages. Older
 * clients ask for it by the name of its draft, whose messages are the same.
 */
final class Reflection {
  private static final String DRAFT = "grpc.reflection.v1alpha.ServerReflection";

  private Reflection() {}

  /** The service under both names. */
  static List<ServerServiceDefinition> services() {
    ServerServiceDefinition service = ProtoReflectionServiceV1.newInstance().bindService();
    var draft = ServerServiceDefinition.builder(DRAFT);
    service.getMethods().forEach(method -> draft.addMethod(renamed(method)));
    return List.of(service, draft.build());
  }

  private static <Q, R> ServerMethodDefinition<Q, R> renamed(ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
    String bareName = Objects.requireNonNull(descriptor.getBareMethodName());
    String name = MethodDescriptor.generateFullMethodName(DRAFT, bareName);
    return ServerMethodDefinition.create(
        descriptor.toBuilder().setFullMethodName(name).build(), method.getServerCallHandler());
  }
}
