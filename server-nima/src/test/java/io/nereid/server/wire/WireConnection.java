package io.nereid.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.wire.WireStep.Closed;
import io.nereid.server.wire.WireStep.Expectation;
import io.nereid.server.wire.WireStep.HalfClose;
import io.nereid.server.wire.WireStep.Open;
import io.nereid.server.wire.WireStep.Receive;
import io.nereid.server.wire.WireStep.Send;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A client's side of one connection. Bytes are sent by a thread of its own, so that a server that
 * answers before it has read everything does not block the client.
 */
public final class WireConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final InputStream input;
  private Thread sending = Thread.ofVirtual().start(() -> {});

  public WireConnection(InetSocketAddress server) throws IOException {
    this(server, new InetSocketAddress(0).getAddress());
  }

  /**
   * @param local the client's address
   */
  public WireConnection(InetSocketAddress server, InetAddress local) throws IOException {
    socket.bind(new InetSocketAddress(local, 0));
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(server, TIMEOUT_MILLIS);
    input = new BufferedInputStream(socket.getInputStream());
  }

  /**
   * Performs a script.
   *
   * @param piece the bytes that are sent at once
   * @param another a request to a resource of the server, for connections that must stay open
   */
  public void perform(WireScript script, int piece, String another) throws Exception {
    for (WireStep step : script.steps()) {
      switch (step) {
        case Send(String bytes) -> send(bytes, piece);
        case HalfClose() -> halfClose();
        case Receive receive -> receive(receive);
        case Closed() -> assertThat(rest()).as("bytes before the end of the connection").isEmpty();
        case Open() -> {
          send(another, another.length());
          assertThat(receive().status()).as("status of another request").isEqualTo(200);
        }
      }
    }
  }

  /** Starts to send, after what was sent before. */
  public void send(String bytes) {
    send(bytes, Math.max(bytes.length(), 1));
  }

  private void send(String bytes, int piece) {
    Thread previous = sending;
    sending =
        Thread.ofVirtual()
            .start(() -> {
              try {
                previous.join();
                OutputStream output = socket.getOutputStream();
                for (int i = 0; i < bytes.length(); i += piece) {
                  int end = Math.min(i + piece, bytes.length());
                  output.write(bytes.substring(i, end).getBytes(ISO_8859_1));
                }
              } catch (IOException _) {
                // the server need not read everything; what it sends is checked
              } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
              }
            });
  }

  /** Sends nothing more, once everything is sent. */
  public void halfClose() throws IOException, InterruptedException {
    sending.join();
    socket.shutdownOutput();
  }

  /** The next response to a request that is not HEAD. */
  public WireResponse receive() throws IOException {
    return WireResponse.read(input, true);
  }

  private void receive(Receive expected) throws IOException {
    WireResponse response = WireResponse.read(input, expected.hasBody());
    assertThat(response.status()).as(response.toString()).isEqualTo(expected.status());
    for (Expectation expectation : expected.expectations()) {
      switch (expectation) {
        case Expectation.Header(String name, String value) -> {
          assertThat(response.header(name)).as(name + " of " + response).isNotEmpty();
          if (!value.isEmpty()) {
            assertThat(response.header(name)).as(name).isEqualToIgnoringCase(value);
          }
        }
        case Expectation.NoHeader(String name) ->
            assertThat(response.header(name)).as(name).isEmpty();
        case Expectation.BodyContains(String text) -> assertThat(response.body()).contains(text);
      }
    }
  }

  /** What the server sends until it closes the connection. */
  public String rest() throws IOException {
    return new String(input.readAllBytes(), ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
