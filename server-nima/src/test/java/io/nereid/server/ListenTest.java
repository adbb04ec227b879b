package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.testing.LogCapture;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses that the server cannot listen at. */
@Timeout(60)
class ListenTest {
  private final StringWriter err = new StringWriter();
  @TempDir private Path directory;

  private int serve(String... options) {
    List<String> arguments = new ArrayList<>();
    arguments.add("serve");
    arguments.add("--model-repository=" + directory);
    arguments.add("--backend-directory=" + directory.resolve("no-backends"));
    for (String listener : List.of("http", "grpc", "metrics")) {
      arguments.add("--" + listener + "-address=127.0.0.1");
      arguments.add("--" + listener + "-port=0");
    }
    arguments.addAll(List.of(options));
    return NereidCommand.run(new StringWriter(), err, arguments.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc", "metrics"})
  void endsTheServerIfAPortIsTaken(String listener) throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();

      assertThat(serve("--" + listener + "-port=" + port)).isEqualTo(1);
      assertThat(err.toString().lines())
          .containsExactly(
              "nereid: cannot listen at 127.0.0.1:%d (--%s-address, --%s-port): Address already in use"
                  .formatted(port, listener, listener));
    }
  }

  @Test
  void aTakenPortIsFoundBeforeModelsLoad() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String missing = "--model-repository=" + directory.resolve("missing");

      assertThat(serve(missing, "--grpc-port=" + taken.getLocalPort())).isEqualTo(1);
      assertThat(err.toString()).contains("cannot listen").hasLineCount(1);
    }
  }

  @Test
  void theLogSaysOfEachOptionWithoutEffectWhyItHasNone() throws IOException {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var log = new LogCapture(Main.class.getName())) {
      int status =
          serve(
              "--http-thread-count=8",
              "--http-thread-count=16",
              "--pinned-memory-pool-byte-size",
              "0",
              "--http-port=" + taken.getLocalPort());

      assertThat(status).isEqualTo(1);
      assertThat(log.messages())
          .containsExactly(
              "Nereid %s on Java %s".formatted(ServerVersion.TEXT, Runtime.version()),
              "--http-thread-count has no effect here: each connection has a virtual thread of its"
                  + " own",
              "--pinned-memory-pool-byte-size has no effect here: there is no pool of page-locked"
                  + " memory; --max-tensor-memory limits the memory for tensors");
    }
  }

  @Test
  void endsTheServerIfTwoListenersHaveOneAddress() throws IOException {
    int port;
    try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }

    assertThat(serve("--http-port=" + port, "--metrics-port=" + port)).isEqualTo(1);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .contains(":" + port, "--metrics-port", "already in use");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 0, Cannot assign requested address",
    "no-such-host.invalid, 0, unknown host"
  })
  void endsTheServerIfAnAddressCannotBeBound(String address, int port, String reason) {
    for (String listener : List.of("http", "grpc", "metrics")) {
      err.getBuffer().setLength(0);

      assertThat(serve("--" + listener + "-address=" + address, "--" + listener + "-port=" + port))
          .isEqualTo(1);
      assertThat(err.toString().lines())
          .singleElement()
          .asString()
          .startsWith(
              "nereid: cannot listen at %s:%d (--%s-address, --%s-port): %s"
                  .formatted(address, port, listener, listener, reason));
    }
  }
}
