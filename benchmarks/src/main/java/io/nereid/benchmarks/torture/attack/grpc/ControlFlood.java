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

/**
 * One connection that sends control frames of one type, a thousand with each write, until it is
 * closed. Each frame is legal, and none needs an answer.
 */
@SuppressWarnings("ArrayRecordComponent") // attacks are not compared
public record ControlFlood(byte[] frame) implements Attack.Script {
  private static final int COUNT = 20_000_000;
  private static final int AT_ONCE = 1_000;
  private static final int ENDED = 1;
  private static final byte[] LAST_STREAM_AND_CODE = new byte[8];
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** A flood of each kind. */
  public static List<Attack> all() {
    return List.of(
        flood("grpc-window-updates", "WINDOW_UPDATE", Frames.windowUpdate(0, 1)),
        flood("grpc-settings-acks", "acknowledgements", Frames.settingsAck()),
        flood("grpc-goaways", "GOAWAY", Frames.frame(Frames.GOAWAY, 0, 0, LAST_STREAM_AND_CODE)),
        flood(
            "grpc-ended-stream", "WINDOW_UPDATE of an ended call", Frames.windowUpdate(ENDED, 1)));
  }

  private static Attack flood(String name, String frames, byte[] frame) {
    return Attack.of(name, "%,d frames: %s".formatted(COUNT, frames), new ControlFlood(frame));
  }

  @Override
  public AttackOutcome run(Scene scene) throws IOException {
    int most = scene.scale().count(COUNT);
    int sent = 0;
    byte[] many = new RepeatedBytes(new byte[0], frame, AT_ONCE, new byte[0]).bytes();
    try (var connection = RawConnection.open(scene.target().grpc())) {
      connection.send(
          Frames.begin(
              Frames.call(ENDED, "ServerLive"), Frames.message(ENDED, new byte[0], false)));
      var reader = new FrameReader(connection);
      reader.readTo(ENDED, ANSWER);
      try {
        for (; sent < most && !Thread.interrupted(); sent += AT_ONCE) {
          connection.send(many);
        }
      } catch (IOException closed) {
        // by the server, as required
      }
      reader.readToTheEnd(ANSWER);
      return AttackOutcome.of("%s after %,d".formatted(reader.summary(), sent))
          .require(
              most <= AT_ONCE || !reader.summary().equals("open"),
              "a connection stays that sends control frames only");
    }
  }
}
