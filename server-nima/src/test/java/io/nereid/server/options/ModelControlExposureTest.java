package io.nereid.server.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.testing.LogCapture;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The warning at the start that clients may load models without a key. */
@Timeout(60)
class ModelControlExposureTest {
  private static final String HTTP = "--http-address=0.0.0.0";
  private static final String GRPC = "--grpc-address=0.0.0.0";
  private static final String EXPLICIT = "--model-control-mode=explicit";

  private static Stream<String> warnings(Path empty, String... options) throws IOException {
    try (var log = new LogCapture("io.nereid.server");
        var _ = new LocalServer(LocalServer.options(empty, options), new CheckedBufferPool())) {
      return log.messages().stream().filter(line -> line.contains("--model-control-mode"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        HTTP + "|" + EXPLICIT + "|HTTP at 0.0.0.0",
        GRPC + "|" + EXPLICIT + "|gRPC at 0.0.0.0",
        GRPC + " " + HTTP + "|" + EXPLICIT + "|gRPC at 0.0.0.0 and HTTP at 0.0.0.0",
        GRPC
            + " "
            + HTTP
            + "|"
            + EXPLICIT
            + " --http-restricted-api=model-repository:k=v|gRPC at 0.0.0.0",
        HTTP + "|" + EXPLICIT + " --http-restricted-api=inference:k=v|HTTP at 0.0.0.0"
      })
  void whoeverReachesTheRepositoryApiMayLoadModels(
      String addresses, String options, String where, @TempDir Path empty) throws IOException {
    assertThat(warnings(empty, (addresses + " " + options).split(" ")))
        .containsExactly(
            "--model-control-mode=explicit: each client that reaches %s may load and unload models;"
                    .formatted(where)
                + " restrict the API model-repository, or listen at a loopback address");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        EXPLICIT,
        HTTP + " " + GRPC,
        HTTP + " --model-control-mode=poll",
        HTTP + " " + EXPLICIT + " --http-restricted-api=model-repository:k=v"
      })
  void whereNoneDoesThereIsNoWarning(String options, @TempDir Path empty) throws IOException {
    assertThat(warnings(empty, options.split(" "))).isEmpty();
  }
}
