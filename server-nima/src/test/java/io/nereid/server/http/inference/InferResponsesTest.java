package io.nereid.server.http.inference;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.request.InferenceResponse;
import io.nereid.engine.telemetry.refusal.Refusals;
import io.nereid.error.InferenceException;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.LongWork;
import io.nereid.server.http.body.PartedResponses;
import io.nereid.server.http.connection.HttpListener;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.connection.ListenerSettings;
import io.nereid.server.http.limits.HttpRefusal;
import io.nereid.server.http.route.ErrorShape;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.wire.WireConnection;
import io.nereid.server.wire.WireResponse;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses over a socket, whose client may not read them. */
@Timeout(120)
class InferResponsesTest {
  private static final int LARGE = 16 << 20;
  private static final int SMALL = 1000;

  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final RequestMemory budget = new RequestMemory(1L << 30, 1L << 30);

  /** The threads that have leased memory. */
  private volatile boolean isHeapUsedUp;

  private final BlockingQueue<Thread> leasing = new LinkedBlockingQueue<>();

  private final CountDownLatch outputsReleased = new CountDownLatch(1);
  private final HttpListener listener;

  InferResponsesTest() throws IOException {
    var longWork = new LongWork(1);
    LeaseSource recorded =
        byteSize -> {
          leasing.add(Thread.currentThread());
          if (isHeapUsedUp) {
            throw new OutOfMemoryError("test");
          }
          return pool.lease(byteSize);
        };
    var responses =
        new InferResponses(recorded, budget, new PartedResponses(recorded, budget, longWork));
    listener =
        HttpListener.of(
                new ListenerSettings("HTTP", "127.0.0.1", 0),
                Optional.empty(),
                new Refusals<>(HttpRefusal.class, "HTTP", System::nanoTime),
                (request, response) -> handle(responses, request, response))
            .start();
  }

  /** Responds with as many zeros as the path states. */
  private void handle(InferResponses responses, HttpRequest request, HttpResponse response)
      throws IOException {
    int count = Integer.parseInt(request.path().substring(1));
    var zeros =
        new Tensor("Y", DataType.UINT8, Shape.of(count), MemorySegment.ofArray(new byte[count]));
    var result =
        new InferenceResponse(
            new ModelKey("m", 1),
            "",
            Map.of(),
            List.of(zeros),
            List.of(outputsReleased::countDown));
    response.executed();
    try {
      responses.send(request, response, result, List.of(), false);
    } catch (InferenceException refused) {
      HttpResponses.error(response, ErrorShape.V2, refused);
    }
  }

  @AfterEach
  void stop() {
    listener.stop(Duration.ZERO);
    assertThat(pool.outstanding()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  private WireConnection ask(int zeros) throws IOException {
    return ask(zeros + " HTTP/1.1\r\nConnection: close");
  }

  private WireConnection ask(String rest) throws IOException {
    var client =
        new WireConnection(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port()));
    client.send("GET /" + rest + "\r\nHost: x\r\n\r\n");
    return client;
  }

  private static void assertZeros(WireResponse response, int count) {
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.header("Content-Type")).isEqualTo("application/json");
    assertThat(response.body().startsWith("{\"model_name\":\"m\"")).isTrue();
    assertThat(response.body().chars().filter(octet -> octet == '0').count())
        .isGreaterThanOrEqualTo(count);
  }

  @Test
  void aLargeResponseIsWrittenInPartsAndItsOutputsAreCountedUntilItIsRead() throws Exception {
    try (WireConnection client = ask(LARGE)) {
      leasing.take();
      while (pool.outstanding() == 0) {
        Thread.onSpinWait();
      }
      assertThat(pool.outstanding()).isEqualTo(1);
      assertThat(budget.usedBytes()).isBetween((long) LARGE, LARGE + (1L << 20));
      assertThat(outputsReleased.getCount()).isEqualTo(1);

      assertZeros(client.receive(), LARGE);
      assertThat(client.rest()).isEmpty();
    }
    outputsReleased.await();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate"})
  void aLargeResponseIsCompressedInParts(String encoding) throws Exception {
    try (WireConnection client =
        ask(LARGE + " HTTP/1.1\r\nConnection: close\r\nAccept-Encoding: " + encoding)) {
      WireResponse response = client.receive();
      assertThat(response.header("Content-Encoding")).isEqualTo(encoding);
      var bytes = new ByteArrayInputStream(response.body().getBytes(ISO_8859_1));
      try (InputStream text =
          encoding.equals("gzip") ? new GZIPInputStream(bytes) : new InflaterInputStream(bytes)) {
        assertThat(text.readAllBytes()).hasSizeGreaterThan(2 * LARGE).endsWith(']', '}', ']', '}');
      }
    }
  }

  @Test
  void aLargeResponseEndsWithTheConnectionOfAnOldClient() throws Exception {
    try (WireConnection client = ask(LARGE + " HTTP/1.0")) {
      String all = client.rest();
      assertThat(all).doesNotContain("chunked").contains("Connection: close").endsWith("]}]}");
      assertThat(all.length()).isGreaterThan(2 * LARGE);
    }
  }

  @Test
  void aSmallResponseLeasesNothing() throws Exception {
    try (WireConnection client = ask(SMALL)) {
      assertZeros(client.receive(), SMALL);
    }
    assertThat(leasing).isEmpty();
  }

  @Test
  void aLargeResponseIsRefusedWhereTheClientHasNoMemoryLeft() throws Exception {
    var client = ClientKey.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    long taken = 500L << 20;
    budget.acquire(client, taken);
    try (WireConnection connection = ask(LARGE + " HTTP/1.1\r\nAccept-Encoding: gzip")) {
      WireResponse response = connection.receive();
      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("Content-Type")).isEqualTo("application/json");
      assertThat(response.header("Content-Encoding")).isEmpty();
      assertThat(response.header("Retry-After")).as("it has run").isEmpty();
      assertThat(response.body()).contains("the client's share of request memory is exhausted");
    } finally {
      budget.release(client, taken);
    }
  }

  @Test
  void aResponseForWhichNoHeapIsLeftIsNotToBeAskedForAgain() throws Exception {
    isHeapUsedUp = true;
    try (WireConnection connection = ask(LARGE)) {
      WireResponse response = connection.receive();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.header("Retry-After")).as("it has run").isEmpty();
      assertThat(response.body()).contains("the server has no memory left for this now");
    }
  }
}
