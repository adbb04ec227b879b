package io.nereid.tck.suite;

import io.nereid.tck.ServerFactory;
import io.nereid.tck.grpc.GrpcClassificationVerification;
import io.nereid.tck.grpc.GrpcErrorVerification;
import io.nereid.tck.grpc.GrpcHealthVerification;
import io.nereid.tck.grpc.GrpcInferVerification;
import io.nereid.tck.grpc.GrpcMetadataVerification;
import io.nereid.tck.grpc.GrpcModelControlVerification;
import io.nereid.tck.grpc.GrpcRepositoryVerification;
import io.nereid.tck.grpc.GrpcSequenceVerification;
import io.nereid.tck.grpc.GrpcSettingsVerification;
import io.nereid.tck.grpc.GrpcSharedMemoryVerification;
import io.nereid.tck.grpc.GrpcStandardVerification;
import io.nereid.tck.grpc.GrpcStatisticsVerification;
import io.nereid.tck.grpc.StreamErrorVerification;
import io.nereid.tck.grpc.StreamVerification;
import io.nereid.tck.http.BinaryVerification;
import io.nereid.tck.http.CompressionVerification;
import io.nereid.tck.http.DataErrorVerification;
import io.nereid.tck.http.FaultOrderVerification;
import io.nereid.tck.http.GenerateVerification;
import io.nereid.tck.http.GoldenVerification;
import io.nereid.tck.http.HttpClassificationVerification;
import io.nereid.tck.http.HttpErrorVerification;
import io.nereid.tck.http.HttpHealthVerification;
import io.nereid.tck.http.HttpInferVerification;
import io.nereid.tck.http.HttpMetadataVerification;
import io.nereid.tck.http.HttpSequenceVerification;
import io.nereid.tck.http.HttpSettingsVerification;
import io.nereid.tck.http.HttpSharedMemoryVerification;
import io.nereid.tck.http.HttpStandardVerification;
import io.nereid.tck.http.HttpStatisticsVerification;
import io.nereid.tck.http.MetricsVerification;
import io.nereid.tck.http.RouteVerification;
import io.nereid.tck.http.ValidationVerification;
import io.nereid.tck.repository.ControlModeVerification;
import io.nereid.tck.repository.EnsembleControlVerification;
import io.nereid.tck.repository.IndexVerification;
import io.nereid.tck.repository.LoadBodyVerification;
import io.nereid.tck.repository.LoadParameterVerification;
import io.nereid.tck.repository.LoadVerification;
import io.nereid.tck.repository.LoadWarmupVerification;
import io.nereid.tck.repository.RepositoryVerification;
import io.nereid.tck.repository.UnloadVerification;
import org.junit.jupiter.api.Nested;

/**
 * All verifications of servers, in one class: a program that tests a server extends it and says how
 * the server is started.
 *
 * <pre>{@code
 * class MyServerTest extends ServerSuite {
 *   @Override
 *   public ServerUnderTest startServer(Path modelRepository) {
 *     var server = MyServer.start(modelRepository);
 *     return new ServerUnderTest(server.httpAddress(), "127.0.0.1", server.grpcPort(), server::stop);
 *   }
 * }
 * }</pre>
 *
 * <p>Each nested class has a server of its own, unless {@link #startShared} gives it one that
 * others had before. One after the other: they use the machine's shared memory.
 */
public abstract class ServerSuite implements ServerFactory {
  @Nested
  class HttpStandard extends HttpStandardVerification {}

  @Nested
  class GrpcStandard extends GrpcStandardVerification {}

  @Nested
  class HttpHealth extends HttpHealthVerification {}

  @Nested
  class HttpRoute extends RouteVerification {}

  @Nested
  class HttpMetadata extends HttpMetadataVerification {}

  @Nested
  class HttpGolden extends GoldenVerification {}

  @Nested
  class HttpInfer extends HttpInferVerification {}

  @Nested
  class HttpGenerate extends GenerateVerification {}

  @Nested
  class HttpSettings extends HttpSettingsVerification {}

  @Nested
  class HttpBinary extends BinaryVerification {}

  @Nested
  class HttpCompression extends CompressionVerification {}

  @Nested
  class HttpClassification extends HttpClassificationVerification {}

  @Nested
  class GrpcClassification extends GrpcClassificationVerification {}

  @Nested
  class HttpError extends HttpErrorVerification {}

  @Nested
  class HttpDataError extends DataErrorVerification {}

  @Nested
  class HttpFaultOrder extends FaultOrderVerification {}

  @Nested
  class HttpValidation extends ValidationVerification {}

  @Nested
  class HttpSequence extends HttpSequenceVerification {}

  @Nested
  class HttpStatistics extends HttpStatisticsVerification {}

  @Nested
  class HttpMetrics extends MetricsVerification {}

  @Nested
  class HttpRepository extends RepositoryVerification {}

  @Nested
  class HttpControlMode extends ControlModeVerification {}

  @Nested
  class HttpIndex extends IndexVerification {}

  @Nested
  class HttpLoad extends LoadVerification {}

  @Nested
  class HttpLoadBody extends LoadBodyVerification {}

  @Nested
  class HttpLoadParameter extends LoadParameterVerification {}

  @Nested
  class HttpUnload extends UnloadVerification {}

  @Nested
  class HttpSharedMemory extends HttpSharedMemoryVerification {}

  @Nested
  class HttpWarmup extends LoadWarmupVerification {}

  @Nested
  class HttpEnsembleControl extends EnsembleControlVerification {}

  @Nested
  class GrpcSharedMemory extends GrpcSharedMemoryVerification {}

  @Nested
  class GrpcModelControl extends GrpcModelControlVerification {}

  @Nested
  class GrpcRepository extends GrpcRepositoryVerification {}

  @Nested
  class GrpcSequence extends GrpcSequenceVerification {}

  @Nested
  class GrpcStatistics extends GrpcStatisticsVerification {}

  @Nested
  class GrpcHealth extends GrpcHealthVerification {}

  @Nested
  class GrpcMetadata extends GrpcMetadataVerification {}

  @Nested
  class GrpcInfer extends GrpcInferVerification {}

  @Nested
  class GrpcError extends GrpcErrorVerification {}

  @Nested
  class GrpcSettings extends GrpcSettingsVerification {}

  @Nested
  class GrpcStream extends StreamVerification {}

  @Nested
  class GrpcStreamError extends StreamErrorVerification {}
}
