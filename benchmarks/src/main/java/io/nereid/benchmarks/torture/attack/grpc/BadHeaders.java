package io.nereid.benchmarks.torture.attack.grpc;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.TortureModels;
import io.nereid.benchmarks.torture.wire.FrameReader;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A malformed header of one call, while another call of the same connection is served, as behind a
 * proxy: it is an error of the stream (RFC 9113, section 8.1.1), and the other must succeed.
 */
public final class BadHeaders implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int GOOD = 1;
  private static final int BAD = 3;

  /** A header that no call may have. */
  private record Header(String name, String value) {}

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    var headers =
        List.of(
            new Header("x-bin", "!!!"),
            new Header("grpc-trace-bin", "a"),
            new Header("X-Upper", "a"),
            new Header("connection", "close"),
            new Header("te", "gzip"),
            new Header("grpc-timeout", "soon"),
            new Header("grpc-encoding", "none-such"),
            new Header("content-length", "x"));
    List<Callable<String>> clients = new ArrayList<>();
    headers.forEach(header -> clients.add(() -> failure(scene, header)));
    var violations =
        Crowd.inParallel(clients).stream().filter(failure -> !failure.isEmpty()).toList();
    return new AttackOutcome(
        "the other call succeeds beside %d of %d"
            .formatted(headers.size() - violations.size(), headers.size()),
        violations);
  }

  /** What became of the other call, as a sentence; empty if it succeeded. */
  private static String failure(Scene scene, Header header) throws IOException {
    byte[] message = Requests.grpcSimple(TortureModels.DELAYED).toByteArray();
    try (var connection = RawConnection.open(scene.target().grpc())) {
      connection.send(
          Frames.begin(
              Frames.call(GOOD, "ModelInfer"),
              Frames.message(GOOD, message, false),
              Frames.call(BAD, "ModelInfer", Frames.header(header.name(), header.value())),
              Frames.message(BAD, message, false)));
      var reader = new FrameReader(connection);
      reader.readTo(GOOD, TIMEOUT);
      return reader.hasData(GOOD)
          ? ""
          : "%s: %s: connection %s".formatted(header.name(), header.value(), reader.summary());
    }
  }
}
