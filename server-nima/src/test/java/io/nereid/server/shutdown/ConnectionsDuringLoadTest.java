package io.nereid.server.shutdown;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.support.ServerProcess;
import io.nereid.server.support.SlowLoadBackend;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that connect while the server loads its models at its start. */
@Timeout(120)
class ConnectionsDuringLoadTest {
  @Test
  void areRefusedByEachPort(@TempDir Path directory) throws Exception {
    Path repository = directory.resolve("models");
    ModelOnDisk.of(repository, "slow", SlowLoadBackend.CONFIG);
    List<Integer> ports = freePorts(3);

    try (var process =
        ServerProcess.start(
            directory,
            repository,
            "--http-port=" + ports.get(0),
            "--grpc-port=" + ports.get(1),
            "--metrics-port=" + ports.get(2))) {
      process.awaitLine("loading: slow:1");

      for (int port : ports) {
        assertThatExceptionOfType(ConnectException.class)
            .as("port %d", port)
            .isThrownBy(() -> connect(port));
      }
    }
  }

  private static void connect(int port) throws IOException {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      throw new AssertionError("connected: " + socket);
    }
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }
}
