package io.nereid.server.http;

import static io.nereid.server.support.HeldServer.HELD;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.support.HeldServer;
import io.nereid.tck.gate.Execution;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** HTTP clients that disconnect while their requests wait. */
@Timeout(240)
class DisconnectTest {
  /** The ways in which a client ends its connection. */
  enum End {
    CLOSE,
    RESET
  }

  private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1);

  private final List<Socket> sockets = new ArrayList<>();
  private HeldServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new HeldServer(directory, "");
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  private Socket send(byte[] bytes) throws IOException {
    Socket socket = server.connect();
    sockets.add(socket);
    socket.getOutputStream().write(bytes);
    return socket;
  }

  private Socket send(String id) throws IOException {
    return send(HeldServer.request(HELD, id, 3));
  }

  private static void end(Socket socket, End end) throws IOException {
    switch (end) {
      case CLOSE -> socket.close();
      case RESET -> {
        socket.setSoLinger(true, 0);
        socket.close();
      }
    }
  }

  /** Occupies the only instance with a request that waits for the gate. */
  private Socket block() throws IOException {
    Socket plug = send("plug");
    server.gate().awaitBegun(1);
    return plug;
  }

  /**
   * Waits until the server reads ahead on the connections of all waiting requests: until it has
   * noticed the disconnect of a later one.
   */
  private void awaitReadAhead() throws IOException {
    long leases = server.outstanding();
    Socket last = send("last");
    server.awaitOutstanding(leases + 1);
    last.close();
    server.awaitOutstanding(leases);
  }

  private static String readAll(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  private static void assertResponses(Socket socket, String... ids) throws IOException {
    socket.shutdownOutput();
    String responses = readAll(socket);
    String[] parts =
        Arrays.stream(ids)
            .flatMap(id -> List.of("HTTP/1.1 200 ", "\"id\":\"" + id + '"').stream())
            .toArray(String[]::new);
    assertThat(responses).containsSubsequence(parts);
    assertThat(responses).doesNotContain("HTTP/1.1 4", "HTTP/1.1 5");
  }

  private List<List<String>> executed() {
    return server.gate().executions().stream().map(Execution::ids).toList();
  }

  @ParameterizedTest
  @EnumSource
  void cancelsAQueuedRequestWhenItsClientDisconnects(End end) throws IOException {
    Socket plug = block();
    long leases = server.outstanding();
    Socket disconnected = send("gone");
    server.awaitOutstanding(2 * leases);

    end(disconnected, end);
    server.awaitOutstanding(leases);
    Socket next = send("next");
    server.awaitOutstanding(2 * leases);
    server.gate().openAll();

    server.awaitOutstanding(0);
    assertResponses(plug, "plug");
    assertResponses(next, "next");
    assertThat(executed()).containsExactly(List.of("plug"), List.of("next"));
  }

  @ParameterizedTest
  @EnumSource
  void cancelsARunningExecutionWhenItsClientDisconnects(End end) throws IOException {
    server.endlessGate().openAll();
    Socket disconnected = send(HeldServer.request(HeldServer.ENDLESS, "gone", 3));
    server.endlessGate().awaitBegun(1);

    end(disconnected, end);
    server.endlessGate().awaitEnded(1);
    server.awaitOutstanding(0);
  }

  @Test
  void answersAClientThatHasClosedItsOutput() throws IOException {
    Socket plug = block();
    Socket half = send("half");
    half.shutdownOutput();

    for (int probe = 0; probe < 3; probe++) {
      assertThat(half.getInputStream().readNBytes(CONTINUE.length)).isEqualTo(CONTINUE);
    }
    server.gate().openAll();

    assertThat(readAll(half)).contains("HTTP/1.1 200 ", "\"id\":\"half\"");
    assertResponses(plug, "plug");
  }

  @Test
  void aClientOfHttp10ThatClosesItsOutputCannotBeToldFromOneThatLeaves() throws IOException {
    block();
    byte[] request = HeldServer.request(HELD, "half", 3);
    Socket half =
        send(new String(request, ISO_8859_1).replace("HTTP/1.1", "HTTP/1.0").getBytes(ISO_8859_1));
    half.shutdownOutput();

    assertThat(readAll(half))
        .startsWith("HTTP/1.1 400 ")
        .containsIgnoringCase("connection: close")
        .endsWith("{\"error\":\"the client closed its connection before the response was sent\"}");
  }

  @Test
  void servesAConnectionAfterAReadAhead() throws IOException {
    Socket kept = block();
    awaitReadAhead();
    server.gate().open(1);
    server.awaitOutstanding(0);

    kept.getOutputStream().write(HeldServer.request(HELD, "second", 30_000));
    server.gate().awaitBegun(2);
    awaitReadAhead();
    server.gate().openAll();
    server.awaitOutstanding(0);
    kept.getOutputStream().write(HeldServer.request(HELD, "third", 3));
    server.gate().awaitEnded(3);

    assertResponses(kept, "plug", "second", "third");
  }

  @Test
  void servesRequestsThatArriveDuringAReadAheadInOrder() throws IOException {
    Socket eager = block();
    awaitReadAhead();
    byte[] second = HeldServer.request(HELD, "second", 30_000);
    eager.getOutputStream().write(second, 0, 5_000);
    awaitReadAhead(); // they have been read ahead
    eager.getOutputStream().write(second, 5_000, second.length - 5_000);
    eager.getOutputStream().write(HeldServer.request(HELD, "third", 3));
    server.gate().openAll();
    server.gate().awaitEnded(3);

    var read = server.gate().executions().get(1).requests().getFirst().inputs();
    assertThat(Objects.requireNonNull(read.get("IN0")).data())
        .satisfies(data -> {
          for (long i = 0; i < data.byteSize(); i++) {
            assertThat(data.get(JAVA_BYTE, i)).isEqualTo((byte) (second.length - 30_000 + i));
          }
        });
    assertResponses(eager, "plug", "second", "third");
  }

  @Test
  void servesARequestWhoseBodyIsReadAhead() throws IOException {
    byte[] first = HeldServer.request(HELD, "plug", 3);
    byte[] second = HeldServer.request(HELD, "second", 30_000);
    byte[] both = Arrays.copyOf(first, first.length + 300);
    System.arraycopy(second, 0, both, first.length, 300);
    Socket eager = send(both); // the second request's head is read with the first request
    server.gate().awaitBegun(1);
    awaitReadAhead();
    eager.getOutputStream().write(second, 300, second.length - 300);
    awaitReadAhead();
    server.gate().openAll();
    server.gate().awaitEnded(2);

    assertResponses(eager, "plug", "second");
  }

  @Test
  void releasesTheMemoryOfAThousandDisconnectedClients() throws IOException {
    Socket plug = block();
    long leases = server.outstanding();
    for (int round = 0; round < 10; round++) {
      List<Socket> disconnected = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        disconnected.add(send("gone"));
      }
      server.awaitOutstanding((1 + disconnected.size()) * leases);
      for (int i = 0; i < disconnected.size(); i++) {
        end(disconnected.get(i), End.values()[i % End.values().length]);
      }
      server.awaitOutstanding(leases);
    }
    server.gate().openAll();

    server.awaitOutstanding(0);
    assertResponses(plug, "plug");
    assertThat(executed()).containsExactly(List.of("plug"));
  }
}
