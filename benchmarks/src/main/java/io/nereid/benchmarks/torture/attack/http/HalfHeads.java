package io.nereid.benchmarks.torture.attack.http;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.wire.RawConnection;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Requests that end at any byte of their head. It is the client's fault: the server may say 400, or
 * nothing.
 */
public final class HalfHeads implements Attack.Script {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @Override
  public AttackOutcome run(Scene scene) throws InterruptedException {
    String head = Requests.inferHead("simple", "Content-Length: 10", "Accept: */*");
    List<Callable<String>> clients = new ArrayList<>();
    for (int end = 1; end < head.length(); end++) {
      String begin = head.substring(0, end);
      clients.add(() -> answer(scene, begin));
    }
    var answers = Crowd.counted(clients);
    return AttackOutcome.of(answers.toString())
        .require(!answers.containsKey("no answer"), "a connection stays open")
        .require(
            answers.keySet().stream().noneMatch(answer -> answer.startsWith("5")),
            "a client's fault is answered as the server's");
  }

  private static String answer(Scene scene, String begin) {
    try (var connection = RawConnection.open(scene.target().http())) {
      connection.send(begin);
      connection.endOutput();
      return Integer.toString(connection.receiveBeginning(TIMEOUT).status());
    } catch (SocketTimeoutException _) {
      return "no answer";
    } catch (IOException _) {
      return "closed";
    }
  }
}
