package io.nereid.server.http.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.common.concurrency.limits.FixedLimit;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.server.http.limits.Activity;
import io.nereid.server.http.limits.ConnectionLimits;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.message.HeadLimits;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of several parts, over sockets: what the client gets, and the turns they wait for. */
@Timeout(60)
class LargeResponseTest {
  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(ISO_8859_1);

  private final Random random = new Random(1);
  private final AtomicInteger turns = new AtomicInteger();
  private final OpenConnections open =
      new OpenConnections(
          new DisconnectMonitor(),
          ConnectionLimits.DEFAULT,
          new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime));

  @Test
  void waitForNoTurnIfTheyAreShort() throws Exception {
    check(List.of(offHeap(300_000), offHeap(0), onHeap(200_000), offHeap(300_000), offHeap(1)));
    assertThat(turns).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {4 << 20, 1 << 20, 100_000, 1_000})
  void waitForTurnsByTheirSizeAndNotByThatOfTheirParts(int partSize) throws Exception {
    List<MemorySegment> parts = new ArrayList<>();
    for (int left = 4 << 20; left > 0; left -= partSize) {
      parts.add(offHeap(Math.min(left, partSize)));
    }
    check(parts);
    assertThat(turns).hasValue(4);
  }

  private MemorySegment onHeap(int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return MemorySegment.ofArray(bytes);
  }

  private MemorySegment offHeap(int size) {
    return Arena.ofAuto().allocate(size).copyFrom(onHeap(size));
  }

  /** Sends a response of these parts, and checks what the client gets. */
  private void check(List<MemorySegment> parts) throws Exception {
    byte[] first = onHeap(20_000).toArray(ValueLayout.JAVA_BYTE);
    var expected = new ByteArrayOutputStream();
    expected.write(first);
    for (MemorySegment part : parts) {
      expected.write(part.toArray(ValueLayout.JAVA_BYTE));
    }

    try (var server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        var client = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
        SocketChannel channel = server.accept()) {
      client.getOutputStream().write(REQUEST);
      var serving = new FutureTask<>(() -> serve(channel, first, parts), null);
      Thread.ofVirtual().start(serving);

      byte[] response = client.getInputStream().readAllBytes();
      byte[] body = expected.toByteArray();
      int head = response.length - body.length;
      assertThat(new String(response, 0, head, ISO_8859_1))
          .contains("Content-Length: " + body.length + "\r\n")
          .endsWith("\r\n\r\n");
      assertThat(Arrays.mismatch(response, head, response.length, body, 0, body.length))
          .isNegative();
      client.shutdownOutput();
      serving.get();
    }
  }

  private void serve(SocketChannel channel, byte[] first, List<MemorySegment> parts) {
    var activity = new Activity();
    new Http1Connection(
            new PlainTransport(channel, activity, turns::incrementAndGet),
            activity,
            open.admit(ClientKey.LOCAL).orElseThrow(),
            HeadLimits.DEFAULT,
            (_, response) -> response.send(first, first.length, parts),
            open)
        .handle(FixedLimit.create());
  }
}
