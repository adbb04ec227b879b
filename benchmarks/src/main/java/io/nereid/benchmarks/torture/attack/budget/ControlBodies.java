package io.nereid.benchmarks.torture.attack.budget;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Bodies of the largest size for what needs some hundred bytes: settings, the index, regions, and
 * for the load and unload of models.
 */
public final class ControlBodies implements Attack.Script {
  private static final int EACH = 8;
  private static final long BYTES = 60_000_000;
  private static final int PIECE_BYTES = 1 << 16;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String[] PATHS = {
    "/v2/logging",
    "/v2/trace/setting",
    "/v2/models/simple/trace/setting",
    "/v2/repository/index",
    "/v2/repository/models/simple/load",
    "/v2/repository/models/simple/unload",
    "/v2/systemsharedmemory/region/x/register",
    "/v2/cudasharedmemory/region/x/register",
  };

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    List<Callable<String>> clients = new ArrayList<>();
    for (String path : PATHS) {
      for (int i = 0; i < scene.scale().count(EACH); i++) {
        clients.add(() -> answer(scene.target().http(), path, scene.scale().bytes(BYTES)));
      }
    }
    var answers = Crowd.counted(clients);
    return AttackOutcome.of(answers.toString())
        .require(
            answers.keySet().stream().allMatch(SingleExchange::isAnswer), "not all were answered")
        .require(
            answers.keySet().stream().noneMatch(answer -> answer.startsWith("2")),
            "a body of no document was accepted");
  }

  private static String answer(InetSocketAddress server, String path, long byteSize) {
    byte[] piece = Requests.bytes("a".repeat(PIECE_BYTES));
    try (var connection = RawConnection.open(server)) {
      try {
        connection.send(Requests.postHead(path, "Content-Length: " + (byteSize + 2)));
        connection.send("{\"");
        long left = byteSize;
        for (; left >= piece.length && !connection.hasAnswer(); left -= piece.length) {
          connection.send(piece);
        }
        if (!connection.hasAnswer()) {
          connection.send(new byte[(int) left]);
        }
      } catch (IOException _) {
        // refused before its end; the answer says why
      }
      int status = connection.receiveBeginning(TIMEOUT).status();
      return Integer.toString(status);
    } catch (IOException e) {
      return SingleExchange.noAnswer(e);
    }
  }
}
