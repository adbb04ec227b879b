package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerCommand;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * Runs the TCK against the server. Each class must release all memory.
 *
 * <p>With the system property {@code tck.server} another server is verified ({@link
 * ServerCommand}).
 */
class TckTest {
  private static final String LOOPBACK = "127.0.0.1";

  private static ServerUnderTest start(Path modelRepository, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("--allow-metrics=true", "--metrics-port=0", "--allow-client-shm=true"));
    arguments.addAll(List.of(more));
    var options = LocalServer.options(modelRepository, arguments.toArray(String[]::new));
    var pool = new CheckedBufferPool();
    var server = new NereidServer(options, pool);
    server.start();
    return new ServerUnderTest(
        URI.create("http://" + LOOPBACK + ":" + server.httpPort()),
        LOOPBACK,
        server.grpcPort(),
        Optional.of(URI.create("http://" + LOOPBACK + ":" + server.metricsPort())),
        () -> {
          server.close();
          assertThat(pool.outstanding()).as("unreleased leases").isZero();
        });
  }

  /** Uses one server for all verifications. */
  interface LocalFactory extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) throws IOException {
      var other = ServerCommand.ofProperty();
      return other.isPresent() ? other.get().startServer(modelRepository) : start(modelRepository);
    }

    @Override
    default Optional<ServerUnderTest> startServer(
        ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
        throws IOException {
      var other = ServerCommand.ofProperty();
      if (other.isPresent()) {
        return other.get().startServer(mode, modelRepositories, startupModels);
      }
      List<String> arguments = new ArrayList<>();
      arguments.add("--model-control-mode=" + mode.name().toLowerCase(Locale.ROOT));
      arguments.add("--repository-poll-secs=1");
      arguments.add("--strict-readiness=every-model"); // as Triton, which the rules follow
      modelRepositories.stream()
          .skip(1)
          .forEach(more -> arguments.add("--model-repository=" + more));
      startupModels.forEach(model -> arguments.add("--load-model=" + model));
      return Optional.of(start(modelRepositories.getFirst(), arguments.toArray(String[]::new)));
    }
  }

  @Nested
  class HttpHealth extends io.nereid.tck.http.HttpHealthVerification implements LocalFactory {}

  @Nested
  class HttpRoute extends io.nereid.tck.http.RouteVerification implements LocalFactory {}

  @Nested
  class HttpMetadata extends io.nereid.tck.http.HttpMetadataVerification implements LocalFactory {}

  @Nested
  class HttpGolden extends io.nereid.tck.http.GoldenVerification implements LocalFactory {}

  @Nested
  class HttpInfer extends io.nereid.tck.http.HttpInferVerification implements LocalFactory {}

  @Nested
  class HttpGenerate extends io.nereid.tck.http.GenerateVerification implements LocalFactory {}

  @Nested
  class HttpSettings extends io.nereid.tck.http.HttpSettingsVerification implements LocalFactory {}

  @Nested
  class HttpBinary extends io.nereid.tck.http.BinaryVerification implements LocalFactory {}

  @Nested
  class HttpCompression extends io.nereid.tck.http.CompressionVerification
      implements LocalFactory {}

  @Nested
  class HttpClassification extends io.nereid.tck.http.HttpClassificationVerification
      implements LocalFactory {}

  @Nested
  class GrpcClassification extends io.nereid.tck.grpc.GrpcClassificationVerification
      implements LocalFactory {}

  @Nested
  class HttpError extends io.nereid.tck.http.HttpErrorVerification implements LocalFactory {}

  @Nested
  class HttpDataError extends io.nereid.tck.http.DataErrorVerification implements LocalFactory {}

  @Nested
  class HttpFaultOrder extends io.nereid.tck.http.FaultOrderVerification implements LocalFactory {}

  @Nested
  class HttpValidation extends io.nereid.tck.http.ValidationVerification implements LocalFactory {}

  @Nested
  class HttpSequence extends io.nereid.tck.http.HttpSequenceVerification implements LocalFactory {}

  @Nested
  class HttpStatistics extends io.nereid.tck.http.HttpStatisticsVerification
      implements LocalFactory {}

  @Nested
  class HttpMetrics extends io.nereid.tck.http.MetricsVerification implements LocalFactory {}

  @Nested
  class HttpRepository extends io.nereid.tck.repository.RepositoryVerification
      implements LocalFactory {}

  @Nested
  class HttpControlMode extends io.nereid.tck.repository.ControlModeVerification
      implements LocalFactory {}

  @Nested
  class HttpIndex extends io.nereid.tck.repository.IndexVerification implements LocalFactory {}

  @Nested
  class HttpLoad extends io.nereid.tck.repository.LoadVerification implements LocalFactory {}

  @Nested
  class HttpLoadBody extends io.nereid.tck.repository.LoadBodyVerification
      implements LocalFactory {}

  @Nested
  class HttpLoadParameter extends io.nereid.tck.repository.LoadParameterVerification
      implements LocalFactory {}

  @Nested
  class HttpUnload extends io.nereid.tck.repository.UnloadVerification implements LocalFactory {}

  @Nested
  class HttpSharedMemory extends io.nereid.tck.http.HttpSharedMemoryVerification
      implements LocalFactory {}

  @Nested
  class HttpWarmup extends io.nereid.tck.repository.LoadWarmupVerification
      implements LocalFactory {}

  @Nested
  class HttpEnsembleControl extends io.nereid.tck.repository.EnsembleControlVerification
      implements LocalFactory {}

  @Nested
  class GrpcSharedMemory extends io.nereid.tck.grpc.GrpcSharedMemoryVerification
      implements LocalFactory {}

  @Nested
  class GrpcModelControl extends io.nereid.tck.grpc.GrpcModelControlVerification
      implements LocalFactory {}

  @Nested
  class GrpcRepository extends io.nereid.tck.grpc.GrpcRepositoryVerification
      implements LocalFactory {}

  @Nested
  class GrpcSequence extends io.nereid.tck.grpc.GrpcSequenceVerification implements LocalFactory {}

  @Nested
  class GrpcStatistics extends io.nereid.tck.grpc.GrpcStatisticsVerification
      implements LocalFactory {}

  @Nested
  class GrpcHealth extends io.nereid.tck.grpc.GrpcHealthVerification implements LocalFactory {}

  @Nested
  class GrpcMetadata extends io.nereid.tck.grpc.GrpcMetadataVerification implements LocalFactory {}

  @Nested
  class GrpcInfer extends io.nereid.tck.grpc.GrpcInferVerification implements LocalFactory {}

  @Nested
  class GrpcError extends io.nereid.tck.grpc.GrpcErrorVerification implements LocalFactory {}

  @Nested
  class GrpcSettings extends io.nereid.tck.grpc.GrpcSettingsVerification implements LocalFactory {}

  @Nested
  class GrpcStream extends io.nereid.tck.grpc.StreamVerification implements LocalFactory {}

  @Nested
  class GrpcStreamError extends io.nereid.tck.grpc.StreamErrorVerification
      implements LocalFactory {}
}
