package io.nereid.server.http.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.support.HeldServer;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The list of models while one unloads. */
@Timeout(60)
class ConsoleModelsTest {
  @Test
  void aVersionThatUnloadsHasItsRequestsInFlight(@TempDir Path models) throws IOException {
    try (var server =
            new HeldServer(
                models,
                "",
                "--console=true",
                "--model-control-mode=explicit",
                "--load-model=" + HeldServer.HELD);
        Socket client = server.connect()) {
      client.getOutputStream().write(HeldServer.request(HeldServer.HELD, "r", 4));
      server.gate().awaitBegun(1);
      assertThat(send(server, "POST", "/v2/repository/models/held/unload")).isEmpty();

      assertThat(send(server, "GET", "/console/data/models"))
          .contains("{\"name\":\"held\",\"version\":\"1\",\"inFlight\":1,\"state\":\"UNLOADING\"");

      server.gate().openAll();
      String unloaded = "\"name\":\"held\",\"version\":\"1\",\"state\":\"UNAVAILABLE\"";
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (!send(server, "GET", "/console/data/models").contains(unloaded)) {
        assertThat(System.nanoTime() - deadline).isNegative();
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static String send(HeldServer server, String method, String path) {
    try (var wire = new HttpWire(server.http())) {
      return wire.send(method, path, new byte[0], Map.of()).text();
    }
  }
}
