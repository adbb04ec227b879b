package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients, such as grpcurl, that know no message of the server and ask it for them. */
@Timeout(60)
class GrpcReflectionTest {
  private static final String SERVICE = "inference.GRPCInferenceService";

  @TempDir private Path repository;

  private LocalServer start(String... options) throws IOException {
    return new LocalServer(LocalServer.options(repository, options), new CheckedBufferPool());
  }

  /** Asks one question, on a stream of its own, by either name of the service. */
  private static ServerReflectionResponse ask(
      Channel channel, String service, ServerReflectionRequest question) {
    MethodDescriptor<ServerReflectionRequest, ServerReflectionResponse> method =
        ServerReflectionGrpc.getServerReflectionInfoMethod().toBuilder()
            .setFullMethodName(service + "/ServerReflectionInfo")
            .build();
    Iterator<ServerReflectionResponse> answers =
        ClientCalls.blockingServerStreamingCall(channel, method, CallOptions.DEFAULT, question);
    ServerReflectionResponse answer = answers.next();
    assertThat(answers.hasNext()).isFalse();
    return answer;
  }

  private static ServerReflectionResponse ask(Channel channel, ServerReflectionRequest question) {
    return ask(channel, ServerReflectionGrpc.SERVICE_NAME, question);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"})
  void learnTheServicesByBothNamesOfReflection(String name) throws IOException {
    var question = ServerReflectionRequest.newBuilder().setListServices("").build();
    try (var server = start()) {
      assertThat(ask(server.channel(), name, question).getListServicesResponse().getServiceList())
          .extracting(ServiceResponse::getName)
          .contains(SERVICE, "grpc.health.v1.Health");
    }
  }

  @Test
  void callAMethodOfWhichTheyKnowOnlyTheName() throws IOException, DescriptorValidationException {
    try (var server = start("--id=found")) {
      var question = ServerReflectionRequest.newBuilder().setFileContainingSymbol(SERVICE).build();
      ServiceDescriptor service =
          file(server.channel(), question).findServiceByName("GRPCInferenceService");
      var metadata = service.findMethodByName("ServerMetadata");
      MethodDescriptor<DynamicMessage, DynamicMessage> method =
          MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
              .setType(MethodType.UNARY)
              .setFullMethodName(SERVICE + "/ServerMetadata")
              .setRequestMarshaller(
                  ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(metadata.getInputType())))
              .setResponseMarshaller(
                  ProtoUtils.marshaller(
                      DynamicMessage.getDefaultInstance(metadata.getOutputType())))
              .build();

      DynamicMessage response =
          ClientCalls.blockingUnaryCall(
              server.channel(),
              method,
              CallOptions.DEFAULT,
              DynamicMessage.getDefaultInstance(metadata.getInputType()));

      assertThat(response.getField(metadata.getOutputType().findFieldByName("name")))
          .isEqualTo("found");
    }
  }

  /** The file that answers a question, with those that it imports. */
  private static FileDescriptor file(Channel channel, ServerReflectionRequest question)
      throws InvalidProtocolBufferException, DescriptorValidationException {
    var file =
        FileDescriptorProto.parseFrom(
            ask(channel, question).getFileDescriptorResponse().getFileDescriptorProto(0));
    List<FileDescriptor> imports = new ArrayList<>();
    for (String name : file.getDependencyList()) {
      imports.add(
          file(channel, ServerReflectionRequest.newBuilder().setFileByFilename(name).build()));
    }
    return FileDescriptor.buildFrom(file, imports.toArray(FileDescriptor[]::new));
  }

  @Test
  void doNotDelayTheExitOfTheServer() throws Exception {
    LocalServer server = start("--exit-timeout-secs=3600");
    var answered = new CompletableFuture<ServerReflectionResponse>();
    var ended = new CompletableFuture<Status>();
    StreamObserver<ServerReflectionRequest> questions =
        ServerReflectionGrpc.newStub(server.channel())
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse answer) {
                    answered.complete(answer);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    ended.complete(Status.fromThrowable(failure));
                  }

                  @Override
                  public void onCompleted() {
                    ended.complete(Status.OK);
                  }
                });
    questions.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    assertThat(answered.get().hasListServicesResponse()).isTrue();

    server.stop();

    assertThat(ended.get().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(server.isStoppedInTime()).isTrue();
    server.close();
  }

  @Test
  void areRefusedWhereTheOptionSaysSo() throws IOException {
    var question = ServerReflectionRequest.newBuilder().setListServices("").build();
    try (var server = start("--grpc-reflection=false")) {
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> ask(server.channel(), question))
          .satisfies(refused ->
              assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
    }
  }
}
