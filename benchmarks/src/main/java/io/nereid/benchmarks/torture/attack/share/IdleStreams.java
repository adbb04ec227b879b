package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.FrameReader;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A client that opens streams on many connections and sends no request on them. */
public final class IdleStreams implements Attack.Script {
  private static final int STREAMS = 17_000;
  private static final int STREAMS_EACH = 1_000;
  private static final Duration STAY = Duration.ofSeconds(10);

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    int streams = scene.scale().count(STREAMS);
    List<RawConnection> connections = new ArrayList<>();
    List<FrameReader> readers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    try {
      for (int left = streams; left > 0; left -= STREAMS_EACH) {
        var connection = RawConnection.open(scene.target().grpc());
        connections.add(connection);
        var reader = new FrameReader(connection);
        readers.add(reader);
        threads.add(Thread.ofVirtual().start(() -> reader.readToTheEnd(STAY)));
        connection.sendEach(Math.min(left, STREAMS_EACH), IdleStreams::opened);
      }
      Thread.sleep(scene.scale().hold(STAY));
    } finally {
      for (RawConnection connection : connections) {
        connection.close();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return AttackOutcome.of(
        "%d streams on %d connections, %d ended by the server"
            .formatted(
                streams, connections.size(), readers.stream().mapToLong(FrameReader::ended).sum()));
  }

  private static byte[] opened(int i) {
    byte[] call = Frames.call(2 * i + 1, "ModelStreamInfer");
    return i == 0 ? Frames.begin(call) : call;
  }
}
