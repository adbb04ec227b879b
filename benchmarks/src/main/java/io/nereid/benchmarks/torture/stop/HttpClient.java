package io.nereid.benchmarks.torture.stop;

import io.nereid.benchmarks.torture.wire.HttpAnswer;
import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A client that sends the same request again and again on one connection, until that ends. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record HttpClient(InetSocketAddress server, byte[] request, Ledger ledger) implements Runnable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @Override
  public void run() {
    try (var connection = RawConnection.open(server)) {
      while (send(connection)) {
        // the next one
      }
    } catch (IOException e) {
      ledger.failed(Long.MAX_VALUE, "connect: " + e.getMessage());
    }
  }

  /** Returns whether the connection goes on. */
  private boolean send(RawConnection connection) {
    long start = System.nanoTime();
    try {
      connection.send(request);
    } catch (IOException e) {
      ledger.failed(Long.MAX_VALUE, "send: " + e.getMessage());
      return false;
    }
    long sent = System.nanoTime();
    try {
      HttpAnswer answer = connection.receive(TIMEOUT);
      if (answer.isOk()) {
        ledger.answered(System.nanoTime() - start);
      } else {
        ledger.failed(
            Ledger.isRefusal(answer.body()) ? Long.MAX_VALUE : sent, "HTTP " + answer.summary());
      }
      return !"close".equalsIgnoreCase(answer.headers().get("connection"));
    } catch (IOException e) {
      ledger.failed(sent, "HTTP: " + e.getMessage());
      return false;
    }
  }
}
