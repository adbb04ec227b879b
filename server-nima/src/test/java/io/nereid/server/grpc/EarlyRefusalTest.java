package io.nereid.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.engine.model.config.conversion.SchedulingRecords;
import io.nereid.engine.scheduling.journal.replay.Replay;
import io.nereid.protocol.inference.ModelInferRequest;
import io.nereid.server.LocalServer;
import io.nereid.server.grpc.Http2Socket.Frame;
import io.nereid.tck.gate.Gate;
import io.nereid.tck.support.HttpWire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls that are refused once the head of their message has come, tried frame by frame. */
@Timeout(120)
class EarlyRefusalTest {
  private static final String MODEL = "overloaded";
  private static final String INFER = "inference.GRPCInferenceService/ModelInfer";
  private static final String LIVE = "inference.GRPCInferenceService/ServerLive";
  private static final int INPUT_BYTES = 600_000;
  private static final int FRAME = 16_384;
  private static final String REFUSED =
      "8 \\[request id: late] model 'overloaded' is overloaded: the request would wait for about"
          + " \\d+\\.\\d{3} ms, and its limit is \\d+\\.\\d{3} ms; 0 requests are ahead of it";

  @TempDir Path directory;
  private LocalServer server;
  private Http2Socket client;
  private boolean closed;

  /** Measures an execution; then another one holds the only instance. */
  @BeforeEach
  void block() throws IOException {
    ModelOnDisk.of(
        directory,
        MODEL,
        """
        backend: "gate"
        input { name: "IN0" data_type: TYPE_UINT8 dims: [ -1 ] }
        output { name: "OUT0" data_type: TYPE_UINT8 dims: [ -1 ] }
        instance_group { count: 1 kind: KIND_CPU }
        """);
    server =
        new LocalServer(
            LocalServer.options(
                directory,
                "--allow-metrics=true",
                "--metrics-port=0",
                "--grpc-max-resets=10",
                "--scheduler-journal=" + journal()),
            new CheckedBufferPool());
    client = Http2Socket.open(server.grpcPort());
    Gate.of(MODEL).open(1);
    long sent = System.nanoTime();
    assertThat(infer(1, request("measured", 2))).startsWith("0 ");
    long begun = System.nanoTime();
    send(3, request("plug", 2));
    Gate.of(MODEL).awaitBegun(2);
    long late = 2 * (begun - sent) + TimeUnit.SECONDS.toNanos(1);
    while (System.nanoTime() - begun < late) { // then the wait is predicted to be 1 s or more
      LockSupport.parkNanos(late);
    }
  }

  @AfterEach
  void stop() throws IOException {
    Gate.of(MODEL).tearDown();
    client.close();
    if (!closed) {
      server.close();
    }
    Gate.forget(MODEL);
  }

  private Path journal() {
    return directory.resolveSibling(directory.getFileName() + ".journal");
  }

  private static byte[] request(String id, int byteSize) {
    var request = ModelInferRequest.newBuilder().setModelName(MODEL).setId(id);
    request.addInputsBuilder().setName("IN0").setDatatype("UINT8").addShape(byteSize);
    request.addRawInputContents(ByteString.copyFrom(new byte[byteSize]));
    return request.build().toByteArray();
  }

  private void send(int streamId, byte[] message) throws IOException {
    client.writeCall(streamId, INFER);
    client.writeMessage(streamId, false, message, true);
  }

  private String infer(int streamId, byte[] message) throws IOException {
    send(streamId, message);
    return client.awaitStatus(streamId);
  }

  /** The first {@code count} bytes of a large message. */
  private static byte[] begin(int count) {
    return Arrays.copyOf(prefixed(request("late", INPUT_BYTES)), count);
  }

  private static byte[] prefixed(byte[] message) {
    return ByteBuffer.allocate(5 + message.length)
        .put((byte) 0)
        .putInt(message.length)
        .put(message)
        .array();
  }

  /** Begins a call with a deadline of one second. */
  private void writeUrgentCall(int streamId) throws IOException {
    var headers = new ByteArrayOutputStream();
    headers.writeBytes(Http2Socket.callHeaders(INFER));
    Http2Socket.putHeader(headers, "grpc-timeout", "1S");
    client.writeFrame(
        Http2Socket.HEADERS, Http2Socket.END_HEADERS, streamId, headers.toByteArray());
  }

  private void writeData(int streamId, byte... data) throws IOException {
    client.writeFrame(Http2Socket.DATA, 0, streamId, data);
  }

  /** Begins a call, and waits until the server has told the client to stop. */
  private void refuse(int streamId) throws IOException {
    writeUrgentCall(streamId);
    writeData(streamId, begin(FRAME));
    Frame reset = client.await(frame -> frame.type() == Http2Socket.RST_STREAM);
    assertThat(reset.streamId()).isEqualTo(streamId);
    assertThat(reset.number()).as("NO_ERROR").isZero();
    assertThat(client.awaitStatus(streamId)).matches(REFUSED);
  }

  private void assertAlive(int streamId) throws IOException {
    client.writeCall(streamId, LIVE);
    client.writeMessage(streamId, false, new byte[0], true);
    assertThat(client.awaitStatus(streamId)).startsWith("0 ");
  }

  private String metrics() {
    try (var wire = new HttpWire(server.metrics())) {
      return wire.send("GET", "/metrics", new byte[0], Map.of()).text();
    }
  }

  @Test
  void refusesACallOnceTheHeadOfItsMessageHasCome() throws Exception {
    refuse(5);
    assertAlive(7);
  }

  @Test
  void aRequestWhoseHeadIsDividedIsRefusedOnceItIsWhole() throws Exception {
    byte[] all = prefixed(request("late", FRAME));
    writeUrgentCall(5);
    writeData(5, Arrays.copyOf(all, 10)); // half of the name
    writeData(5, Arrays.copyOfRange(all, 10, FRAME));
    assertAlive(7); // and no status of 5 comes before

    client.writeFrame(
        Http2Socket.DATA, Http2Socket.END_STREAM, 5, Arrays.copyOfRange(all, FRAME, all.length));
    assertThat(client.awaitStatus(5)).matches(REFUSED);
  }

  @Test
  void dropsWhatStillComesOfARefusedCallAndReturnsTheWindow() throws Exception {
    byte[] late = new byte[FRAME];
    int streamId = 5;
    for (long sent = 0; sent < 3 << 20; streamId += 2) {
      refuse(streamId);
      for (int i = 0; i < 10; i++) {
        writeData(streamId, late);
        sent += FRAME;
      }
    }

    assertAlive(streamId);
  }

  @Test
  void countsNoResetsOfClientsThatStopAsTheyWereTold() throws Exception {
    int streamId = 5;
    for (; streamId < 105; streamId += 2) {
      refuse(streamId);
      client.writeFrame(Http2Socket.RST_STREAM, 0, streamId, new byte[] {0, 0, 0, 8});
    }

    assertAlive(streamId);
  }

  @Test
  void letsClientsSendLessBeforeTheHeadIsReadWhileItRefuses() throws Exception {
    client.writeFrame(Http2Socket.SETTINGS, Http2Socket.ACK, 0); // of grpc-java's
    client.writeFrame(Http2Socket.SETTINGS, Http2Socket.ACK, 0); // of the size of frames
    writeUrgentCall(5);
    writeData(5, begin(FRAME));
    Frame settings =
        client.await(frame -> frame.type() == Http2Socket.SETTINGS && frame.payload().length > 0);
    assertThat(settings.number()).isEqualTo(32 << 10);
    client.writeFrame(Http2Socket.SETTINGS, Http2Socket.ACK, 0);
    assertThat(client.awaitStatus(5)).matches(REFUSED);

    Gate.of(MODEL).openAll();
    assertThat(client.awaitStatus(3)).startsWith("0 ");
    client.writeCall(7, INFER);
    byte[] all = begin(5 + request("late", INPUT_BYTES).length);
    writeData(7, Arrays.copyOf(all, FRAME));
    Frame grown =
        client.await(frame -> frame.type() == Http2Socket.WINDOW_UPDATE && frame.streamId() == 7);
    assertThat(grown.number()).isGreaterThan(INPUT_BYTES);
    for (int at = FRAME; at < all.length; at += FRAME) {
      writeData(7, Arrays.copyOfRange(all, at, Math.min(all.length, at + FRAME)));
    }
    client.writeFrame(Http2Socket.DATA, Http2Socket.END_STREAM, 7);
    client.growWindow(0, INPUT_BYTES);
    client.growWindow(7, INPUT_BYTES);
    assertThat(client.awaitStatus(7)).startsWith("0 ");
  }

  @Test
  void countsAndExplainsARefusalOnce() throws Exception {
    refuse(5);
    Gate.of(MODEL).openAll();
    assertThat(client.awaitStatus(3)).startsWith("0 ");

    assertThat(metrics())
        .contains(
            "nereid_inference_refused_total{model=\"overloaded\",reason=\"predicted_wait\",version=\"1\"} 1",
            "nv_inference_request_failure{model=\"overloaded\",reason=\"CANCELED\",version=\"1\"} 0");
    server.close();
    closed = true;
    var out = new StringWriter();
    assertThat(
            new Replay(new PrintWriter(out), SchedulingRecords::record, Optional.empty(), false)
                .run(journal()))
        .as(out.toString())
        .isTrue();
    assertThat(out.toString())
        .contains("the head of request 3 'late' came")
        .contains("request 3 'late' is refused: it would wait for")
        .contains("3 requests, 2 batches");
  }
}
