package io.nereid.tools.load.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpResponseReaderTest {
  private static final String PLAIN =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCONTENT-length: 12\r\n\r\nhello, world";
  private static final String CHUNKED =
      """
      HTTP/1.1 503 Service Unavailable
      transfer-encoding: chunked
      Connection: close

      5;a=b
      hello
      A
      , world!!!
      0
      X-Trailer: 1

      """
          .replace("\n", "\r\n");
  private static final String EMPTY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 40, 1000})
  void readsResponsesInPiecesOfAnySize(int size) throws ProtocolException {
    var reader = new HttpResponseReader();

    assertThat(completes(reader, PLAIN, size)).isTrue();
    assertThat(reader.status()).isEqualTo(200);
    assertThat(reader.bodyBytes()).isEqualTo(12);
    assertThat(reader.failure()).isEmpty();
    assertThat(reader.wireBytes()).isEqualTo(PLAIN.length());
    assertThat(reader.closing()).isFalse();

    assertThat(completes(reader, CHUNKED, size)).isTrue();
    assertThat(reader.status()).isEqualTo(503);
    assertThat(reader.bodyBytes()).isEqualTo(15);
    assertThat(reader.failure()).isEqualTo("hello, world!!!");
    assertThat(reader.wireBytes()).isEqualTo(CHUNKED.length());
    assertThat(reader.closing()).isTrue();

    assertThat(completes(reader, EMPTY, size)).isTrue();
    assertThat(reader.status()).isEqualTo(200);
    assertThat(reader.bodyBytes()).isZero();
    assertThat(reader.closing()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {999, 1000, 1001})
  void keepsTheFirstThousandBytesOfAFailure(int length) throws ProtocolException {
    var reader = new HttpResponseReader();
    String head = "HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n".formatted(length);

    assertThat(completes(reader, head + "x".repeat(length), 600)).isTrue();
    assertThat(reader.failure()).isEqualTo("x".repeat(Math.min(1000, length)));
    assertThat(completes(reader, EMPTY, 600)).isTrue();
    assertThat(reader.failure()).isEmpty();
  }

  @Test
  void leavesTheBytesAfterAResponse() throws ProtocolException {
    var bytes = ByteBuffer.wrap((PLAIN + "more").getBytes(US_ASCII));

    assertThat(new HttpResponseReader().read(bytes)).isTrue();
    assertThat(bytes.remaining()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9\r\n",
        "HTTP/1.1 \r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
      })
  void rejectsMalformedResponses(String text) {
    assertThatThrownBy(
            () -> new HttpResponseReader().read(ByteBuffer.wrap(text.getBytes(US_ASCII))))
        .isInstanceOf(ProtocolException.class);
  }

  /** Reads {@code text} in pieces, and returns whether exactly the last completes a response. */
  private static boolean completes(HttpResponseReader reader, String text, int size)
      throws ProtocolException {
    var bytes = text.getBytes(US_ASCII);
    for (int at = 0; at < bytes.length; at += size) {
      int length = Math.min(size, bytes.length - at);
      if (reader.read(ByteBuffer.wrap(bytes, at, length))) {
        return at + length == bytes.length;
      }
    }
    return false;
  }
}
