package io.nereid.tck.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Launched;
import io.nereid.tck.wire.GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase;
import io.nereid.tck.wire.RepositoryIndexRequest;
import io.nereid.tck.wire.RepositoryIndexResponse;
import io.nereid.tck.wire.RepositoryModelLoadRequest;
import io.nereid.tck.wire.RepositoryModelLoadResponse;
import io.nereid.tck.wire.RepositoryModelUnloadRequest;
import io.nereid.tck.wire.RepositoryModelUnloadResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokenServersTest {
  private static final ScopedValue<ServerUnderTest> TESTED = ScopedValue.newInstance();

  /** Has every verification use the current server. */
  interface Broken extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) {
      return TESTED.get();
    }

    @Override
    default Optional<ServerUnderTest> startServer(
        ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels) {
      return Optional.of(TESTED.get());
    }
  }

  static final class Repository extends GrpcRepositoryVerification implements Broken {}

  static final class ModelControl extends GrpcModelControlVerification implements Broken {}

  /** Returns an empty index, and accepts each load and unload. */
  private static final class AcceptsAll extends GRPCInferenceServiceImplBase {
    @Override
    public void repositoryIndex(
        RepositoryIndexRequest request, StreamObserver<RepositoryIndexResponse> caller) {
      respond(caller, RepositoryIndexResponse.getDefaultInstance());
    }

    @Override
    public void repositoryModelLoad(
        RepositoryModelLoadRequest request, StreamObserver<RepositoryModelLoadResponse> caller) {
      respond(caller, RepositoryModelLoadResponse.getDefaultInstance());
    }

    @Override
    public void repositoryModelUnload(
        RepositoryModelUnloadRequest request,
        StreamObserver<RepositoryModelUnloadResponse> caller) {
      respond(caller, RepositoryModelUnloadResponse.getDefaultInstance());
    }

    private static <T> void respond(StreamObserver<T> caller, T response) {
      caller.onNext(response);
      caller.onCompleted();
    }
  }

  private static Launched run(Class<?> verification, GRPCInferenceServiceImplBase service)
      throws IOException {
    var loopback = InetAddress.getLoopbackAddress();
    var server =
        NettyServerBuilder.forAddress(new InetSocketAddress(loopback, 0))
            .addService(service)
            .build()
            .start();
    var tested =
        new ServerUnderTest(
            URI.create("http://" + loopback.getHostAddress()),
            loopback.getHostAddress(),
            server.getPort(),
            server::shutdownNow);
    return ScopedValue.where(TESTED, tested).call(() -> Launched.run(verification));
  }

  @ParameterizedTest
  @ValueSource(classes = {Repository.class, ModelControl.class})
  void catchesAServerWithoutTheModelRepositoryExtension(Class<?> verification) throws IOException {
    var launched = run(verification, new GRPCInferenceServiceImplBase() {});

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failed()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(classes = {Repository.class, ModelControl.class})
  void catchesAServerThatAcceptsLoadAndUnloadAndDoesNothing(Class<?> verification)
      throws IOException {
    var launched = run(verification, new AcceptsAll());

    assertThat(launched.passed()).isEmpty();
    assertThat(launched.failed()).isNotEmpty();
  }
}
