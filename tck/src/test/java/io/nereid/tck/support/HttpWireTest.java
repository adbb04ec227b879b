package io.nereid.tck.support;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpWireTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hello                  | a status line was expected, and 'hello' came",
        "HTTP/1.1               | a status line was expected, and 'HTTP/1.1' came",
        "HTTP/1.1 okay          | a status line was expected, and 'HTTP/1.1 okay' came",
        "HTTP/1.1 200 OK;hello  | a header was expected, and 'hello' came"
      })
  void saysWhatCameInPlaceOfAResponse(String lines, String sentence) {
    byte[] response = (lines.replace(";", "\r\n") + "\r\n\r\n").getBytes(US_ASCII);

    assertThatThrownBy(() -> HttpWire.parse(response)).hasMessageContaining(sentence);
  }

  @Test
  void saysWhyNoResponseCame() throws IOException {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var wire = new HttpWire(URI.create("http://127.0.0.1:" + server.getLocalPort()))) {
      Thread.ofVirtual()
          .start(() -> {
            try (var accepted = server.accept()) {
              var _ = accepted.getInputStream().readNBytes(4);
            } catch (IOException closed) {
              throw new UncheckedIOException(closed);
            }
          });

      assertThatThrownBy(() -> wire.send("GET", "/v2", new byte[0], Map.of()))
          .hasMessageStartingWith("no response (java.")
          .hasMessageContaining(") to GET /v2 HTTP/1.1");
    }
  }
}
