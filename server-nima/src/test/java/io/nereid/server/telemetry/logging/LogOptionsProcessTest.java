package io.nereid.server.telemetry.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.nereid.protocol.inference.GRPCInferenceServiceGrpc;
import io.nereid.protocol.inference.ServerLiveRequest;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.support.HttpWire;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log of a server in a process of its own. Source: Triton, QA L0_logging. */
@Timeout(120)
class LogOptionsProcessTest {
  @Test
  void theLogGoesToItsFileInTheFormatThatIsSetWhileTheServerRuns(
      @TempDir Path directory, @TempDir Path repository) throws Exception {
    Path file = directory.resolve("server.log");
    Files.writeString(file, "earlier\n");
    try (var process =
        ServerProcess.start(directory, repository, "--log-file=" + file, "--client-settings=all")) {
      int port = awaitPort(file);
      try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + port))) {
        byte[] settings = "{\"log_info\":false,\"log_format\":\"ISO8601\"}".getBytes(UTF_8);
        assertThat(wire.send("POST", "/v2/logging", settings, Map.of()).text())
            .startsWith("{\"log_file\":\"" + file + "\",\"log_info\":false");
      }
      List<String> before = Files.readAllLines(file);
      process.terminate();
      assertThat(process.exitStatus()).isZero();

      List<String> lines = Files.readAllLines(file);
      assertThat(lines).first().isEqualTo("earlier");
      assertThat(lines)
          .anyMatch(line ->
              line.matches(
                  "I\\d{4} [\\d:.]{15} \\d+ FrontEnds\\.java:\\d+] \"Started"
                      + " HTTPService at .*\""));
      assertThat(lines).as("information is off").isEqualTo(before);
    }
  }

  /** Libraries log headers as they come, so their details need a property of the JVM besides. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void headersAreLoggedAtNoLevelUnlessTheOperatorAsksForWhatIsOnTheWire(
      boolean asked, @TempDir Path directory, @TempDir Path repository) throws Exception {
    String key = "header-key-that-is-a-secret";
    try (var process =
        ServerProcess.start(
            directory,
            repository,
            List.of("-Dnereid.log.wire=" + asked),
            "--log-verbose=3",
            "--http-restricted-api=statistics:key=" + key,
            "--grpc-restricted-protocol=statistics:key=" + key)) {
      Map<String, String> secrets =
          Map.of("key", key, "authorization", "Bearer " + key, "cookie", "session=" + key);
      try (var wire = new HttpWire(URI.create("http://127.0.0.1:" + process.httpPort()))) {
        for (String path : List.of("/v2/models/stats", "/v2/models/none/infer", "/v2")) {
          var _ = wire.send("POST", path, "{}".getBytes(UTF_8), secrets);
        }
      }
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", process.grpcPort()).usePlaintext().build();
      var metadata = new Metadata();
      secrets.forEach((name, value) ->
          metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value));
      assertThat(
              GRPCInferenceServiceGrpc.newBlockingStub(channel)
                  .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                  .serverLive(ServerLiveRequest.getDefaultInstance())
                  .getLive())
          .isTrue();
      channel.shutdownNow();
      process.terminate();
      assertThat(process.exitStatus()).isZero();

      assertThat(process.log().stream().anyMatch(line -> line.contains(key))).isEqualTo(asked);
    }
  }

  private static int awaitPort(Path file) throws Exception {
    var started = Pattern.compile("Started HTTPService at 127.0.0.1:(\\d+)");
    while (true) {
      var matcher = started.matcher(Files.readString(file));
      if (matcher.find() && Files.readString(file).contains("Metrics Service")) {
        return Integer.parseInt(matcher.group(1));
      }
      Thread.sleep(10);
    }
  }
}
