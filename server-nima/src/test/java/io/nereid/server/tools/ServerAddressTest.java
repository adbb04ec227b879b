package io.nereid.server.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.NereidCommand;
import java.io.IOException;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code infer} says of an address where no server of models answers. */
@Timeout(60)
class ServerAddressTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int infer(String url) {
    return NereidCommand.run(out, err, "infer", "columns", "--server", url, "--json={}");
  }

  @Test
  void withoutAServerTheSentenceSaysWhatToDo() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }

    assertThat(infer("http://127.0.0.1:" + free)).isOne();
    assertThat(err.toString())
        .startsWith("nereid: metadata of model 'columns' at http://127.0.0.1:" + free)
        .contains("(UNAVAILABLE); --server says where one is, ./nereid serve starts one")
        .hasLineCount(1);
    assertThat(infer("ftp://x")).isEqualTo(2);
    assertThat(err.toString()).contains("'ftp://x' is not the address of a server");
    assertThat(infer("127.0.0.1:8510")).isEqualTo(2);
    assertThat(err.toString())
        .contains("'127.0.0.1:8510' has no scheme: write http://127.0.0.1:8510");
  }

  @Test
  void tlsToAServerWithoutIsSaid() throws Exception {
    try (ServerSocket socket = answering("HTTP/1.1 400 Bad Request\r\n\r\n")) {
      String address = "://127.0.0.1:" + socket.getLocalPort();
      assertThat(infer("https" + address)).isOne();
      assertThat(err.toString()).contains("; if the server has no TLS: --server http" + address);
    }
  }

  /** As a server of TLS does with what is no TLS. */
  @Test
  void aServerThatClosesAtOnceMayHaveTls() throws Exception {
    try (ServerSocket socket = answering("")) {
      String address = "://127.0.0.1:" + socket.getLocalPort();
      assertThat(infer("http" + address)).isOne();
      assertThat(err.toString()).contains("; if the server has TLS: --server https" + address);
    }
  }

  /** The port of metrics answers so. */
  @Test
  void whatAnswersWithNothingIsNoServerOfModels() throws Exception {
    try (ServerSocket socket = answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) {
      String url = "http://127.0.0.1:" + socket.getLocalPort();
      assertThat(infer(url)).isEqualTo(2);
      assertThat(err.toString()).startsWith("nereid: what answers is no server of models; ");
    }
  }

  /** A port that answers each request so, and closes the connection. */
  private static ServerSocket answering(String answer) throws IOException {
    ServerSocket socket = new ServerSocket(0);
    Thread.ofVirtual()
        .start(() -> {
          while (!socket.isClosed()) {
            try (Socket connection = socket.accept()) {
              if (connection.getInputStream().read(new byte[4096]) > 0) {
                connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
              }
            } catch (IOException _) {
              // the client is gone, or the socket is closed
            }
          }
        });
    return socket;
  }
}
