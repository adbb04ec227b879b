package io.nereid.server.telemetry.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.telemetry.refusal.RefusalCounter;
import io.nereid.engine.testing.LogCapture;
import io.nereid.tck.support.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessLogTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00.123456Z");

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final FillingDisk disk = new FillingDisk(written);
  private long nanos;
  private final AccessLog log = new AccessLog(disk, false, () -> NOON, () -> nanos);

  /** A target that takes a third of each write while it is full, and then fails. */
  private static final class FillingDisk extends OutputStream {
    private final ByteArrayOutputStream target;
    private boolean full;

    FillingDisk(ByteArrayOutputStream target) {
      this.target = target;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (full) {
        target.write(bytes, offset, length / 3);
        throw new IOException("No space left on device");
      }
      target.write(bytes, offset, length);
    }
  }

  private String text() {
    log.writeAll();
    return written.toString(UTF_8);
  }

  private static Map<String, Object> members(String line) {
    Map<String, Object> members = new TreeMap<>();
    Json.object(line.getBytes(UTF_8)).forEach((name, value) -> members.put((String) name, value));
    return members;
  }

  private AccessEntry http(String path) {
    AccessEntry entry = log.begin(Protocol.HTTP, "192.0.2.1");
    entry.http("POST", path);
    return entry;
  }

  @Test
  void aRequestOfHttpIsALineOfJson() {
    AccessEntry entry = http("/v2/models/m/infer");
    entry.traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    entry.model("m", "3");
    entry.id("a\"b\n");
    entry.executed(70_999, 500_000);
    entry.received(100);
    entry.sent(2_000);
    entry.status(200);
    nanos = 1_234_567;
    log.end(entry);

    assertThat(text())
        .isEqualTo(
            "{\"time\":\"2026-11-22T12:00:00.123456Z\",\"client\":\"192.0.2.1\","
                + "\"protocol\":\"http\",\"method\":\"POST\",\"path\":\"/v2/models/m/infer\","
                + "\"model\":\"m\",\"version\":\"3\",\"id\":\"a\\\"b\\u000a\",\"status\":200,"
                + "\"bytes_in\":100,\"bytes_out\":2000,\"total_us\":1234,\"queue_us\":70,"
                + "\"compute_us\":500,\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\"}\n");
    assertThat(log.written()).isEqualTo(1);
  }

  @Test
  void aCallOfGrpcHasTheNameOfItsStatusAndTheFirstSentenceOfItsError() {
    AccessEntry entry = log.begin(Protocol.GRPC, "192.0.2.1");
    entry.rpc("inference.GRPCInferenceService/ModelInfer");
    entry.trace(7, "4bf92f3577b34da6a3ce929d0e0e4736");
    entry.status("NOT_FOUND");
    entry.error("no such model. Models are: a, b");
    log.end(entry);

    assertThat(text())
        .contains("\"protocol\":\"grpc\",\"rpc\":\"inference.GRPCInferenceService/ModelInfer\"")
        .contains("\"grpc_status\":\"NOT_FOUND\",\"error\":\"no such model\",\"bytes_in\":0")
        .endsWith("\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\",\"trace\":7}\n")
        .doesNotContain("\"status\"")
        .doesNotContain("queue_us");
  }

  @ParameterizedTest
  @CsvSource({
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 0af7651916cd43dd8448eb211c80319c",
    "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more,"
        + " 0af7651916cd43dd8448eb211c80319c",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01, ",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01, ",
    "nonsense, ",
  })
  void aTraceIdIsTakenFromAWellFormedTraceparent(String field, String traceId) {
    AccessEntry entry = http("/");
    entry.traceparent(field);
    log.end(entry);

    assertThat(members(text()).get("trace_id")).isEqualTo(traceId);
  }

  @Test
  void whatClientsSendIsCutToALengthOfAThousand() {
    AccessEntry entry = http("/" + "p".repeat(2_000));
    entry.model("m".repeat(2_000), "1".repeat(2_000));
    entry.id("i".repeat(2_000));
    entry.error("e".repeat(2_000));
    log.end(entry);

    assertThat(text())
        .contains("\"path\":\"/" + "p".repeat(999) + "\"")
        .contains("\"model\":\"" + "m".repeat(1_000) + "\"")
        .contains("\"id\":\"" + "i".repeat(1_000) + "\"")
        .contains("\"error\":\"" + "e".repeat(300) + "\"");
  }

  /** A terminal may take U+009B for ESC [, and U+202E turns around what follows. */
  @Test
  void noControlCharacterIsWritten() {
    AccessEntry entry = http("/v2/\u009b31m");
    entry.id("a\u0007\u007f\u0085\u2028\u202e\u00e9");
    log.end(entry);

    String line = text();

    assertThat(line)
        .contains("\"path\":\"/v2/\\u009b31m\"")
        .contains("\"id\":\"a\\u0007\\u007f\\u0085\\u2028\\u202e\u00e9\"");
    assertThat(members(line)).containsEntry("path", "/v2/\u009b31m");
  }

  @Test
  void linesAreLostAndCountedWhenTooManyWaitAndTheLogSaysSoOnce() {
    try (var logged = new LogCapture(RefusalCounter.class.getName())) {
      for (int i = 0; i < AccessLog.CAPACITY + 3; i++) {
        log.end(http("/"));
      }

      assertThat(log.unqueued()).isEqualTo(3);
      assertThat(logged.messages())
          .containsExactly(
              "access log: a line was lost, since too many waited to be written; so far 1. This is"
                  + " logged once a minute at most.");
    }
    assertThat(text().lines()).hasSize(AccessLog.CAPACITY);
    assertThat(log.written()).isEqualTo(AccessLog.CAPACITY);
    log.end(http("/again"));
    assertThat(text()).endsWith("\"total_us\":0}\n").contains("/again");
  }

  @Test
  void aFullDiskLosesLinesAndTornOnesStandAlone() {
    try (var logged = new LogCapture(RefusalCounter.class.getName())) {
      log.end(http("/before"));
      log.writeAll();
      disk.full = true;
      log.end(http("/torn"));
      log.end(http("/lost"));
      log.writeAll();
      disk.full = false;
      log.end(http("/after"));

      List<String> lines = text().lines().toList();
      assertThat(lines).hasSize(3);
      assertThat(lines.getFirst()).contains("/before");
      assertThat(lines.getLast()).startsWith("{").contains("/after").endsWith("}");
      assertThat(log.unwritten()).isEqualTo(2);
      assertThat(log.written()).isEqualTo(2);
      assertThat(logged.messages())
          .singleElement()
          .asString()
          .contains("could not be written: java.io.IOException: No space left on device");
    }
  }

  @Test
  void aRequestOnAStreamHasTheCallsClientMethodAndTrace() {
    AccessEntry call = log.begin(Protocol.GRPC, "192.0.2.1");
    call.rpc("s/m");
    call.traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    nanos = 5_000;
    AccessEntry request = log.begin(call);
    nanos = 8_000;
    log.end(request);

    Map<String, Object> line = members(text());
    assertThat(line)
        .containsEntry("rpc", "s/m")
        .containsEntry("client", "192.0.2.1")
        .containsEntry("trace_id", "0af7651916cd43dd8448eb211c80319c");
    assertThat(line.get("total_us")).hasToString("3");
  }

  @Test
  @Timeout(60)
  void goesOnBehindAnError() throws InterruptedException {
    var writes = new AtomicInteger();
    var writtenAgain = new CountDownLatch(1);
    var broken =
        new OutputStream() {
          @Override
          public void write(int value) {}

          @Override
          public void write(byte[] bytes) {
            if (writes.incrementAndGet() == 1) {
              throw new OutOfMemoryError("of a test");
            }
            writtenAgain.countDown();
          }
        };
    try (var running = new AccessLog(broken, false, () -> NOON, System::nanoTime)) {
      running.start();
      running.end(running.begin(Protocol.HTTP, "192.0.2.1"));
      while (writes.get() == 0) {
        Thread.onSpinWait();
      }
      running.end(running.begin(Protocol.HTTP, "192.0.2.1"));

      assertThat(writtenAgain.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(running.unwritten()).isEqualTo(1);
    }
  }
}
