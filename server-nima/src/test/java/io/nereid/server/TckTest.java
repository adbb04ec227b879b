package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.memory.CheckedBufferPool;
import io.nereid.tck.ServerUnderTest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Nested;

/**
 * The server, held to the kit; each class of it must also give back all memory that it was lent.
 */
class TckTest {
  private static final String LOOPBACK = "127.0.0.1";

  private static ServerUnderTest start(Path modelRepository) throws IOException {
    var options = new ServerOptions();
    options.modelRepositories.add(modelRepository);
    options.httpAddress = LOOPBACK;
    options.httpPort = 0;
    options.grpcAddress = LOOPBACK;
    options.grpcPort = 0;
    options.metricsPort = 0;
    var pool = new CheckedBufferPool();
    var server = new InferenceServer(options, pool);
    server.start();
    return new ServerUnderTest(
        URI.create("http://" + LOOPBACK + ":" + server.httpPort()),
        LOOPBACK,
        server.grpcPort(),
        Optional.of(URI.create("http://" + LOOPBACK + ":" + server.metricsPort())),
        () -> {
          server.close();
          assertThat(pool.outstanding()).as("leases that nobody gave back").isZero();
        });
  }

  @Nested
  class HttpHealth extends io.nereid.tck.http.HealthVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpRoute extends io.nereid.tck.http.RouteVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpMetadata extends io.nereid.tck.http.MetadataVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpGolden extends io.nereid.tck.http.GoldenVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpInfer extends io.nereid.tck.http.InferVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpBinary extends io.nereid.tck.http.BinaryVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpError extends io.nereid.tck.http.ErrorVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpDataError extends io.nereid.tck.http.DataErrorVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpValidation extends io.nereid.tck.http.ValidationVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpSequence extends io.nereid.tck.http.SequenceVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpStatistics extends io.nereid.tck.http.StatisticsVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class HttpMetrics extends io.nereid.tck.http.MetricsVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcSequence extends io.nereid.tck.grpc.SequenceVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcStatistics extends io.nereid.tck.grpc.StatisticsVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcHealth extends io.nereid.tck.grpc.HealthVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcMetadata extends io.nereid.tck.grpc.MetadataVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcInfer extends io.nereid.tck.grpc.InferVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcError extends io.nereid.tck.grpc.ErrorVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcStream extends io.nereid.tck.grpc.StreamVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }

  @Nested
  class GrpcStreamError extends io.nereid.tck.grpc.StreamErrorVerification {
    @Override
    protected ServerUnderTest startServer(Path modelRepository) throws IOException {
      return start(modelRepository);
    }
  }
}
