package io.nereid.server.faults;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class HttpMessageTest {
  private static final String CHUNKED =
      "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\u00e9\r\n1;x\r\nc\r\n0\r\n\r\n";

  private static final String SIZED = "HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\n\r\nabc";

  private static InputStream in(String text) {
    return new ByteArrayInputStream(text.getBytes(ISO_8859_1));
  }

  private static String written(HttpMessage message) {
    return new String(message.bytes(), ISO_8859_1);
  }

  @Test
  void writesWhatItHasReadAsItCame() throws IOException {
    var two = in(CHUNKED + CHUNKED);

    for (int i = 0; i < 2; i++) {
      var request = HttpMessage.request(two).orElseThrow();
      assertThat(request.call()).isEqualTo("POST /x");
      assertThat(request.content()).isEqualTo("\u00e9c");
      assertThat(written(request)).isEqualTo(CHUNKED);
    }
    assertThat(HttpMessage.request(two)).isEmpty();
  }

  @Test
  void statesTheLengthOfAnotherBody() throws IOException {
    HttpMessage answer = HttpMessage.answer(in(SIZED), true);

    assertThat(written(answer.withContent("four").withStatus("400", "500")))
        .isEqualTo("HTTP/1.1 500 Bad Request\r\nContent-Length: 4\r\n\r\nfour");
    assertThat(answer.withStatus("404", "500")).isEqualTo(answer);
  }

  @Test
  void statesTheLengthOfAnotherRequest() throws IOException {
    HttpMessage request = HttpMessage.request(in(CHUNKED)).orElseThrow();

    assertThat(written(request.withText(request.text().replace("\u00e9c", "\u00e9dd"))))
        .isEqualTo("POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\n\u00e9dd");
  }

  @Test
  void readsNoBodyOfAnAnswerToHead() throws IOException {
    var answers = in("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n" + SIZED);

    assertThat(HttpMessage.answer(answers, false).content()).isEmpty();
    assertThat(HttpMessage.answer(answers, true).content()).isEqualTo("abc");
    assertThatExceptionOfType(EOFException.class)
        .isThrownBy(() -> HttpMessage.answer(answers, true));
  }
}
