package io.nereid.server.shutdown;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import io.nereid.server.support.SlowLoadBackend;
import io.nereid.tck.support.HttpWire;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is stopped while a backend takes long to load a model. */
@Timeout(120)
class StopDuringLoadTest {
  @Test
  void cancelsTheLoadAndTellsTheClientWhy(@TempDir Path repository) throws Exception {
    ModelOnDisk.of(repository, "slow", SlowLoadBackend.CONFIG);
    var options = LocalServer.options(repository, "--model-control-mode=explicit");
    CompletableFuture<HttpWire.Response> load;
    try (var server = new LocalServer(options, new CheckedBufferPool())) {
      URI http = server.http();
      CountDownLatch begun = SlowLoadBackend.nextLoad();
      load = CompletableFuture.supplyAsync(() -> load(http));
      begun.await();
    }

    assertThat(load.join().status()).isEqualTo(400);
    assertThat(load.join().text()).contains("Server exiting");
  }

  private static HttpWire.Response load(URI http) {
    try (var wire = new HttpWire(http)) {
      return wire.send("POST", "/v2/repository/models/slow/load", new byte[0], Map.of());
    }
  }
}
