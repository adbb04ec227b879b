package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

class WireLogTest {
  @ParameterizedTest
  @CsvSource({
    "/v2/models/simple/infer,               simple",
    "/v2/models/simple,                     simple",
    "/v2/models/simple?x,                   simple",
    "/v2/models/simple/versions/1/ready,    simple",
    "/v2/repository/models/simple/load,     simple",
    "/v2/repository/any/models/simple/load, simple",
    "/v2/models/stats,                      *",
    "/v2/repository/index,                  *",
    "/v2/repository/any/index,              *",
    "/v2/models/simpl%65/infer,             simple",
    "/v2/models/simpl%/infer,               simpl%",
    "/v2/models,                            *",
    "/v2/health/ready,                      ''",
    "/metrics,                              ''"
  })
  void aRequestNamesItsModel(String target, String model) {
    byte[] request = "POST %s HTTP/1.1\r\n\r\n".formatted(target).getBytes(UTF_8);

    WireMessage message = WireMessage.request(request);

    assertThat(message.model()).isEqualTo(model);
    assertThat(message.call()).isEqualTo("POST " + target);
  }

  @Test
  void bytesThatAreNoRequestNameNone() {
    assertThat(WireMessage.request(new byte[0]).model()).isEmpty();
    assertThat(WireMessage.request(new byte[] {'\r', '\n', -1}).model()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"4095, 4095", "4096, 4096", "4097, 4096"})
  void theFirstBytesAreKept(int byteSize, int kept) {
    WireMessage message = WireMessage.request(new byte[byteSize]);

    assertThat(message.bytes()).hasSize(kept);
    assertThat(message.byteSize()).isEqualTo(byteSize);
  }

  /** A server that answers with so many bytes, and the messages that a request leaves. */
  private static List<WireMessage> messages(int byteSize, WireLog log) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, byteSize);
            exchange.getResponseBody().write(new byte[byteSize]);
          }
        });
    server.start();
    var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    try (var wire = new HttpWire(address, log)) {
      assertThat(wire.send("GET", "/v2", new byte[0], Map.of()).body()).hasSize(byteSize);
    } finally {
      server.stop(0);
    }
    return log.take();
  }

  @Test
  void aConnectionKeepsRequestAndResponseAsBytes() throws IOException {
    var messages = messages(10_000, WireLog.keeping(_ -> Optional.empty()));

    assertThat(messages).extracting(WireMessage::isSent).containsExactly(true, false);
    assertThat(messages).extracting(WireMessage::call).containsOnly("GET /v2");
    WireMessage response = messages.getLast();
    assertThat(new String(response.bytes(), UTF_8)).startsWith("HTTP/1.1 200 OK\r\n").hasSize(4096);
    assertThat(response.byteSize()).isGreaterThan(10_000);
  }

  @Test
  void aMessageWithAnObstacleIsNotSent() {
    var log = WireLog.keeping(message -> Optional.of("no model " + message.model()));

    try (var wire = new HttpWire(URI.create("http://127.0.0.1:1"), log)) {
      assertThatThrownBy(() -> wire.send("GET", "/v2/models/m", new byte[0], Map.of()))
          .isInstanceOf(TestAbortedException.class)
          .hasMessage("no model m");
    }
    assertThat(log.take()).extracting(WireMessage::model).containsExactly("m");
  }

  @Test
  void nothingIsKeptUnlessItIsAskedFor() throws IOException {
    assertThat(messages(1, WireLog.none())).isEmpty();
  }
}
