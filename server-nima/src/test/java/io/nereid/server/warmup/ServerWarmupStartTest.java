package io.nereid.server.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.support.ServerProcess;
import io.nereid.tck.support.HttpWire;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The options {@code --server-warmup…}: what clients and operators see of them. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ServerWarmupStartTest {
  private static final String CONFIG =
      """
      backend: "gate"
      parameters { key: "gate_open" value { string_value: "true" } }
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  private final Path directory;
  private final Path repository;

  ServerWarmupStartTest(@TempDir Path directory) {
    this.directory = directory;
    repository = directory.resolve("models");
    ModelOnDisk.of(repository, "m", CONFIG);
  }

  @Test
  void aServerShowsNothingOfItsWarmup() throws Exception {
    var options =
        LocalServer.options(
            repository,
            "--server-warmup=50",
            "--allow-metrics=true",
            "--metrics-address=127.0.0.1",
            "--metrics-port=0");
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      assertThat(get(server.http(), "/v2/health/ready").status()).isEqualTo(200);
      for (String shown :
          new String[] {
            get(server.http(), "/v2/models/stats").text(), get(server.metrics(), "/metrics").text()
          }) {
        assertThat(shown).contains("\"m\"").doesNotContain("\"/\"");
      }
    }
  }

  @Test
  void aSignalEndsAWarmup() throws Exception {
    try (var process = ServerProcess.start(directory, repository, "--server-warmup=3600000")) {
      process.awaitLine("successfully loaded 'm'");
      process.terminate();

      assertThat(process.exitStatus()).isZero();
      assertThat(process.log()).noneMatch(line -> line.contains("Started HTTPService"));
    }
  }

  @Test
  void aServerGoesOnOnceItIsReadyAndASignalEndsThat() throws Exception {
    try (var process =
        ServerProcess.start(
            directory,
            repository,
            "--server-warmup=1",
            "--server-warmup-after-ready=" + TimeUnit.HOURS.toMillis(1))) {
      process.awaitLine("Started HTTPService");
      process.terminate();

      assertThat(process.exitStatus()).isZero();
      assertThat(process.log()).noneMatch(line -> line.contains("could not warm up"));
    }
  }

  private static HttpWire.Response get(URI server, String path) {
    try (var wire = new HttpWire(server)) {
      return wire.send("GET", path, new byte[0], Map.of());
    }
  }
}
