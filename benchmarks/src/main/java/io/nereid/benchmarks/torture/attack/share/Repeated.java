package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;

/** Clients that each send the same request again and again on a connection that is kept. */
final class Repeated {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private Repeated() {}

  /** Returns how many requests were answered with success within {@code duration}. */
  static long answered(InetSocketAddress server, int clients, byte[] request, Duration duration)
      throws InterruptedException {
    long deadline = System.nanoTime() + duration.toNanos();
    Callable<Long> client = () -> answered(server, request, deadline);
    return Crowd.inParallel(Collections.nCopies(clients, client)).stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  private static long answered(InetSocketAddress server, byte[] request, long deadline) {
    long answered = 0;
    try (var connection = RawConnection.open(server)) {
      while (System.nanoTime() - deadline < 0) {
        connection.send(request);
        answered += connection.receiveBeginning(TIMEOUT).isOk() ? 1 : 0;
      }
    } catch (IOException _) {
      // the server has closed the connection
    }
    return answered;
  }
}
