package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.codec.ByteSink;
import org.junit.jupiter.api.Test;

class ResponseBuffersTest {
  private final ResponseBuffers buffers = new ResponseBuffers();

  @Test
  void theNextResponseUsesTheSameBuffers() {
    ByteSink fields = buffers.fields();
    ByteSink head = buffers.head();
    fields.putAscii("A: b");
    head.putAscii("HTTP/1.1 200 OK");

    buffers.clear();
    assertThat(buffers.fields()).isSameAs(fields);
    assertThat(buffers.head()).isSameAs(head);
    assertThat(fields.size()).isZero();
    assertThat(head.size()).isZero();
  }

  @Test
  void aBufferThatHasGrownIsNotKept() {
    ByteSink head = buffers.head();
    head.putAscii("x".repeat(8 << 10));

    buffers.clear();
    assertThat(buffers.head()).isNotSameAs(head);
    assertThat(buffers.head().array().length).isLessThan(1024);
  }
}
