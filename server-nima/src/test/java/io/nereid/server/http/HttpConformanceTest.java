package io.nereid.server.http;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.server.LocalServer;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireScript;
import io.nereid.tck.TckModels;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * HTTP/1.1 and 1.0 as RFC 9112 and RFC 9110 define them, byte by byte: the exchanges in the files
 * {@code wire/*.http}. Each is performed with large writes, and again with one write per byte.
 */
class HttpConformanceTest {
  /** Exchanges with more bytes than this are not sent in single bytes. */
  private static final int MAX_SINGLE_BYTES = 4096;

  private static LocalServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    TckModels.extractTo(directory);
    server =
        new LocalServer(
            LocalServer.options(directory, "--allow-metrics=true", "--metrics-port=0"),
            new CheckedBufferPool());
  }

  @AfterAll
  static void stop() {
    server.close(); // fails if a lease is outstanding
  }

  @TestFactory
  Stream<DynamicNode> respondsOnTheHttpPort() {
    return Stream.of(
            "persistence", "request-line", "headers", "framing", "chunks", "expect", "refusals")
        .map(topic -> dynamicContainer(topic, exchanges(topic, server.http(), "/v2/health/live")));
  }

  @TestFactory
  Stream<DynamicNode> respondsOnTheMetricsPort() {
    return exchanges("metrics", server.metrics(), "/metrics");
  }

  private static Stream<DynamicNode> exchanges(String topic, URI address, String path) {
    var server = new InetSocketAddress(address.getHost(), address.getPort());
    String another = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    return WireScript.read(topic + ".http").stream()
        .flatMap(script ->
            Stream.of(1 << 20, 1)
                .filter(piece -> piece > 1 || script.byteSize() <= MAX_SINGLE_BYTES)
                .map(piece ->
                    dynamicTest(
                        script.title() + (piece == 1 ? ", byte by byte" : ""),
                        () -> {
                          try (var connection = new WireConnection(server)) {
                            connection.perform(script, piece, another);
                          }
                        })));
  }
}
