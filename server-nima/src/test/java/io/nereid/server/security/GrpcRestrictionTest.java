package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.server.LocalServer;
import io.nereid.server.protobuf.orca.OpenRcaServiceGrpc;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Restricted protocols of gRPC. Sources: Triton, protocol documentation; QA L0_grpc. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrpcRestrictionTest {
  private static final String HEADER = "triton-grpc-protocol-Admin-Key";

  private Path repository;
  private LocalServer server;

  @BeforeAll
  void start(@TempDir Path empty) throws IOException {
    repository = empty;
    server =
        new LocalServer(
            LocalServer.options(
                repository,
                "--grpc-restricted-protocol=health,metadata,inference,shared-memory,model-config,"
                    + "model-repository,statistics,trace,logging:Admin-Key=secret"),
            new CheckedBufferPool());
  }

  @AfterAll
  void stop() {
    server.close();
  }

  static Stream<MethodDescriptor<?, ?>> methods() {
    return Stream.of(
            GRPCInferenceServiceGrpc.getServiceDescriptor(),
            HealthGrpc.getServiceDescriptor(),
            OpenRcaServiceGrpc.getServiceDescriptor(),
            ServerReflectionGrpc.getServiceDescriptor())
        .map(ServiceDescriptor::getMethods)
        .flatMap(Collection::stream);
  }

  private Channel with(String name, String value) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return ClientInterceptors.intercept(
        server.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /**
   * Calls a method with an empty request; returns when it has a response, or the call has ended.
   */
  private static <Q, R> void call(Channel channel, MethodDescriptor<Q, R> method) {
    Q empty = method.parseRequest(new ByteArrayInputStream(new byte[0]));
    Iterator<R> responses =
        ClientCalls.blockingServerStreamingCall(channel, method, CallOptions.DEFAULT, empty);
    if (responses.hasNext()) {
      responses.next();
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void everyMethodNeedsTheHeaderOfItsCategory(MethodDescriptor<?, ?> method) {
    for (Channel refused :
        List.of(server.channel(), with(HEADER, "Secret"), with("Admin-Key", "secret"))) {
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(() -> call(refused, method))
          .satisfies(thrown -> {
            assertThat(thrown.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(thrown.getStatus().getDescription())
                .isEqualTo("This protocol is restricted, expecting header '%s'".formatted(HEADER));
          });
    }
    try {
      call(with(HEADER, "secret"), method);
    } catch (StatusRuntimeException otherwise) {
      assertThat(otherwise.getStatus().getDescription()).doesNotContain("restricted");
    }
  }

  @Test
  void otherCategoriesAreServed() throws IOException {
    try (var other =
        new LocalServer(
            LocalServer.options(repository, "--grpc-restricted-protocol=model-repository:k=v"),
            new CheckedBufferPool())) {
      assertThatCode(() -> call(other.channel(), GRPCInferenceServiceGrpc.getServerReadyMethod()))
          .doesNotThrowAnyException();
      assertThatExceptionOfType(StatusRuntimeException.class)
          .isThrownBy(
              () -> call(other.channel(), GRPCInferenceServiceGrpc.getRepositoryIndexMethod()))
          .withMessageContaining("expecting header 'triton-grpc-protocol-k'");
    }
  }
}
