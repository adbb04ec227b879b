package io.nereid.server;

import static io.nereid.server.HeldServer.HELD;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

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

/** HTTP clients that hang up while their requests wait, and clients that do not. */
@Timeout(240)
class DisconnectTest {
  /** How a client ends its connection. */
  enum End {
    CLOSE,
    RESET,
    HALF_CLOSE
  }

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
      case HALF_CLOSE -> socket.shutdownOutput();
    }
  }

  /** Has the only instance busy with a request that waits for the test. */
  private Socket block() throws IOException {
    Socket plug = send("plug");
    server.gate().awaitBegun(1);
    return plug;
  }

  /**
   * Waits until the server watches all clients that wait now: until it has noticed one that came
   * after them, and hung up.
   */
  private void awaitWatched() throws IOException {
    long lent = server.outstanding();
    Socket canary = send("canary");
    server.awaitOutstanding(lent + 1);
    canary.close();
    server.awaitOutstanding(lent);
  }

  private static String readAll(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
  }

  private static void assertAnswered(Socket socket, String... ids) throws IOException {
    socket.shutdownOutput();
    String answers = readAll(socket);
    String[] parts =
        Arrays.stream(ids)
            .flatMap(id -> List.of("HTTP/1.1 200 ", "\"id\":\"" + id + '"').stream())
            .toArray(String[]::new);
    assertThat(answers).containsSubsequence(parts);
    assertThat(answers).doesNotContain("HTTP/1.1 4", "HTTP/1.1 5");
  }

  private List<List<String>> executed() {
    return server.gate().executions().stream().map(Execution::ids).toList();
  }

  @ParameterizedTest
  @EnumSource
  void aQueuedRequestWhoseClientHangsUpNeverRunsAndItsMemoryIsFree(End end) throws IOException {
    Socket plug = block();
    long lent = server.outstanding();
    Socket gone = send("gone");
    server.awaitOutstanding(2 * lent);

    end(gone, end);
    server.awaitOutstanding(lent);
    Socket next = send("next");
    server.awaitOutstanding(2 * lent);
    server.gate().openAll();

    server.awaitOutstanding(0);
    assertAnswered(plug, "plug");
    assertAnswered(next, "next");
    assertThat(executed()).containsExactly(List.of("plug"), List.of("next"));
  }

  @ParameterizedTest
  @EnumSource
  void aRunningExecutionIsCalledOffWhenItsClientHangsUp(End end) throws IOException {
    server.endlessGate().openAll();
    Socket gone = send(HeldServer.request(HeldServer.ENDLESS, "gone", 3));
    server.endlessGate().awaitBegun(1);

    end(gone, end);
    server.endlessGate().awaitEnded(1);
    server.awaitOutstanding(0);
  }

  @Test
  void aClientThatOnlyHalfClosedReadsWhyAndThatTheConnectionEnds() throws IOException {
    block();
    Socket half = send("half");
    half.shutdownOutput();

    assertThat(readAll(half))
        .startsWith("HTTP/1.1 400 ")
        .containsIgnoringCase("connection: close")
        .endsWith("{\"error\":\"the client closed its connection before the response was sent\"}");
  }

  @Test
  void aConnectionThatWasWatchedServesOn() throws IOException {
    Socket kept = block();
    awaitWatched();
    server.gate().open(1);
    server.awaitOutstanding(0);

    kept.getOutputStream().write(HeldServer.request(HELD, "second", 30_000));
    server.gate().awaitBegun(2);
    awaitWatched();
    server.gate().openAll();
    server.awaitOutstanding(0);
    kept.getOutputStream().write(HeldServer.request(HELD, "third", 3));
    server.gate().awaitEnded(3);

    assertAnswered(kept, "plug", "second", "third");
  }

  @Test
  void whatAClientSendsWhileItsRequestWaitsIsServedInOrder() throws IOException {
    Socket eager = block();
    awaitWatched();
    byte[] second = HeldServer.request(HELD, "second", 30_000);
    eager.getOutputStream().write(second, 0, 5_000);
    awaitWatched(); // the watch has read them by now
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
    assertAnswered(eager, "plug", "second", "third");
  }

  @Test
  void aBodyThatIsReadAheadOfItsRequestIsServed() throws IOException {
    byte[] first = HeldServer.request(HELD, "plug", 3);
    byte[] second = HeldServer.request(HELD, "second", 30_000);
    byte[] both = Arrays.copyOf(first, first.length + 300);
    System.arraycopy(second, 0, both, first.length, 300);
    Socket eager = send(both); // the second request's head is read with the first request
    server.gate().awaitBegun(1);
    awaitWatched();
    eager.getOutputStream().write(second, 300, second.length - 300);
    awaitWatched();
    server.gate().openAll();
    server.gate().awaitEnded(2);

    assertAnswered(eager, "plug", "second");
  }

  @Test
  void aThousandClientsThatHangUpLeaveNothingBehind() throws IOException {
    Socket plug = block();
    long lent = server.outstanding();
    for (int round = 0; round < 10; round++) {
      List<Socket> gone = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        gone.add(send("gone"));
      }
      server.awaitOutstanding((1 + gone.size()) * lent);
      for (int i = 0; i < gone.size(); i++) {
        end(gone.get(i), End.values()[i % End.values().length]);
      }
      server.awaitOutstanding(lent);
    }
    server.gate().openAll();

    server.awaitOutstanding(0);
    assertAnswered(plug, "plug");
    assertThat(executed()).containsExactly(List.of("plug"));
  }
}
