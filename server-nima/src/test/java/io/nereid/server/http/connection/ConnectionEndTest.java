package io.nereid.server.http.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.common.concurrency.limits.FixedLimit;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.ConnectionWatch;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.http.message.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How connections end. A socket that is closed while bytes of its client are under way is reset,
 * and with it the response may be lost: such a connection waits for the client's end first.
 */
class ConnectionEndTest {
  private static final byte[] EMPTY = "{}".getBytes(ISO_8859_1);

  private final OpenConnections open = open(ConnectionLimits.DEFAULT);

  private static OpenConnections open(ConnectionLimits limits) {
    return new OpenConnections(
        new DisconnectMonitor(),
        limits,
        new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime));
  }

  @Test
  void isImmediateWhenTheClientHasEnded() {
    assertThat(serve("GET / HTTP/1.1\r\nHost: x\r\n\r\n")).containsExactly("write", "finish");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n",
        "GET / HTTP/3.0\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET /",
        "GET / HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n",
      })
  void waitsForTheClientWhenTheServerEndsTheConnection(String request) {
    assertThat(serve(request)).containsExactly("write", "linger", "finish");
  }

  @Test
  void waitsForAClientThatCannotKnowThatTheServerStops() throws InterruptedException {
    var stop = new Thread(this::stop);

    List<String> calls =
        serve(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            (_, response) -> {
              stop.start();
              while (!open.isStopping()) {
                Thread.onSpinWait();
              }
              response.send(EMPTY);
            });

    assertThat(calls).containsExactly("write", "linger", "finish");
    stop.join();
  }

  /** So that clients which keep connections find servers that are new. */
  @Test
  void isBehindTheFirstResponseOnceAConnectionHasReachedItsAge() {
    OpenConnections aging = open(limits(Optional.of(Duration.ofSeconds(100))));

    assertThat(serveInTurn(aging, 0, 89, 111)).containsExactly("write", "write", "write", "linger");
    assertThat(serveInTurn(aging, 0, 111)).containsExactly("write", "write", "linger");
  }

  @Test
  void neverComesOfAgeWithoutALimit() {
    assertThat(serveInTurn(open(limits(Optional.empty())), 0, 1_000_000_000))
        .containsExactly("write", "write");
  }

  private static ConnectionLimits limits(Optional<Duration> maxAge) {
    Duration day = Duration.ofDays(20_000);
    return new ConnectionLimits(10, 10, day, day, day, day, maxAge);
  }

  /**
   * Serves a client that sends as many requests as there are looks at the connection, each look
   * within a request. Returns what is called of its transport but for the end.
   */
  private static List<String> serveInTurn(OpenConnections connections, long... lookSeconds) {
    var looks = Arrays.stream(lookSeconds).iterator();
    String requests = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(lookSeconds.length);
    List<String> calls = new ArrayList<>();
    var client = new Client(ByteBuffer.wrap(requests.getBytes(ISO_8859_1)), calls);
    new Http1Connection(
            client,
            new Activity(),
            connections.admit(ClientKey.LOCAL).orElseThrow(),
            HeadLimits.DEFAULT,
            (_, response) -> {
              connections.check(Duration.ofSeconds(looks.next()).toNanos());
              response.send(EMPTY);
            },
            connections)
        .handle(FixedLimit.create());
    return calls.stream().filter(call -> !call.equals("finish")).toList();
  }

  private void stop() {
    try {
      assertThat(open.stop(Duration.ofSeconds(60))).isTrue();
    } catch (InterruptedException impossible) {
      throw new AssertionError(impossible);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      })
  void hasADeadlineForTheClientToReadWhatTlsWrites(String request) {
    var activity = new Activity();
    var watch = new ConnectionWatch(activity);
    List<HttpRefusal> ends = new ArrayList<>();
    List<String> calls =
        new ArrayList<>() {
          @Override
          public boolean add(String call) {
            if (!call.equals("write")) {
              var _ = watch.check(ConnectionLimits.DEFAULT, 0);
              watch.check(ConnectionLimits.DEFAULT, Long.MAX_VALUE / 2).ifPresent(ends::add);
            }
            return super.add(call);
          }
        };
    serve(request, (_, response) -> response.send(EMPTY), activity, calls);

    assertThat(ends)
        .hasSameSizeAs(calls.subList(1, calls.size()))
        .containsOnly(HttpRefusal.SLOW_READER);
  }

  private List<String> serve(String request) {
    return serve(request, (_, response) -> response.send(EMPTY));
  }

  /** Serves a client that sends these bytes and ends; returns what is called of its transport. */
  private List<String> serve(String request, HttpHandler handler) {
    return serve(request, handler, new Activity(), new ArrayList<>());
  }

  private List<String> serve(
      String request, HttpHandler handler, Activity activity, List<String> calls) {
    var client = new Client(ByteBuffer.wrap(request.getBytes(ISO_8859_1)), calls);
    new Http1Connection(
            client,
            activity,
            open.admit(ClientKey.LOCAL).orElseThrow(),
            HeadLimits.DEFAULT,
            handler,
            open)
        .handle(FixedLimit.create());
    return client.calls();
  }

  private record Client(ByteBuffer bytes, List<String> calls) implements Transport {
    @Override
    public int read(ByteBuffer target) {
      if (!bytes.hasRemaining()) {
        return -1;
      }
      int count = Math.min(bytes.remaining(), target.remaining());
      target.put(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      return count;
    }

    @Override
    public int read(ByteBuffer target, long bodySize) {
      return read(target);
    }

    @Override
    public boolean isEstablished() {
      return true;
    }

    @Override
    public void write(ByteBuffer... sources) {
      for (ByteBuffer source : sources) {
        source.position(source.limit());
      }
      calls.add("write");
    }

    @Override
    public void shutdownInput() {
      calls.add("shutdownInput");
    }

    @Override
    public void linger(Duration longest) {
      calls.add("linger");
    }

    @Override
    public void finish() {
      calls.add("finish");
    }

    @Override
    public void reset() {
      calls.add("reset");
    }
  }
}
