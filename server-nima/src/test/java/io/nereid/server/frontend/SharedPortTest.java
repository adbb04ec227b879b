package io.nereid.server.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several servers that listen on the same ports. */
@Timeout(60)
class SharedPortTest {
  @TempDir private Path repository;

  private LocalServer start(int httpPort, int grpcPort, boolean shared) throws IOException {
    return new LocalServer(
        LocalServer.options(
            repository,
            "--http-port=" + httpPort,
            "--grpc-port=" + grpcPort,
            "--reuse-http-port=" + shared,
            "--reuse-grpc-port=" + shared),
        new CheckedBufferPool());
  }

  private static int free() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void needsTheOptionsOfBoth() throws IOException {
    int http = free();
    int grpc = free();
    try (var first = start(http, grpc, true);
        var second = start(http, grpc, true)) {
      assertThat(first.http()).isEqualTo(second.http());
      assertThat(first.grpcPort()).isEqualTo(second.grpcPort());
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> start(http, free(), false))
          .withMessageContaining("Address already in use");
    }
  }
}
