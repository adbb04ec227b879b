package io.nereid.benchmarks.torture.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class HttpAnswerTest {
  @Test
  void keepsTheBeginningOfABodyAndCountsAllOfIt() throws IOException {
    for (String text :
        new String[] {
          "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n012\r\n7\r\n3456789\r\n0\r\n\r\n",
          "HTTP/1.1 200 OK\r\n\r\n0123456789",
        }) {
      assertThat(read(text, 4).body()).isEqualTo("0123");
      assertThat(read(text, 4).byteSize()).isEqualTo(10);
      assertThat(read(text, Integer.MAX_VALUE).body()).isEqualTo("0123456789");
    }
  }

  @Test
  void isNoneIfTheBodyEndsEarly() {
    String half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234";

    assertThatThrownBy(() -> read(half, 2)).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> read(half, 10)).isInstanceOf(EOFException.class);
  }

  private static HttpAnswer read(String text, int most) throws IOException {
    return HttpAnswer.read(new ByteArrayInputStream(Requests.bytes(text)), most);
  }
}
