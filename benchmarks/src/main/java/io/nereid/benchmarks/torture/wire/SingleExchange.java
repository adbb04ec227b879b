package io.nereid.benchmarks.torture.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** One request on a connection of its own, and its response. */
public final class SingleExchange {
  private SingleExchange() {}

  /**
   * Sends {@code parts} and reads a response, of which it keeps the beginning. A server may refuse
   * the request before it has all of it.
   *
   * @throws IOException if there is no response in time
   */
  public static HttpAnswer of(InetSocketAddress server, Duration limit, byte[]... parts)
      throws IOException {
    try (var connection = RawConnection.open(server)) {
      try {
        for (byte[] part : parts) {
          connection.send(part);
        }
      } catch (IOException _) {
        // refused before its end; the answer says why
      }
      return connection.receiveBeginning(limit);
    }
  }

  /** As {@link #of}, as a text for a table: the answer, or "no answer" and why. */
  public static String summary(InetSocketAddress server, Duration limit, byte[]... parts) {
    try {
      return of(server, limit, parts).summary();
    } catch (IOException e) {
      return noAnswer(e);
    }
  }

  /** As {@link #summary}, but of an answer its status only. */
  public static String status(InetSocketAddress server, Duration limit, byte[]... parts) {
    try {
      return Integer.toString(of(server, limit, parts).status());
    } catch (IOException e) {
      return noAnswer(e);
    }
  }

  /** The text for a request that was not answered. */
  public static String noAnswer(IOException reason) {
    return "no answer (%s)".formatted(reason.getMessage());
  }

  /** Whether a text of {@link #summary} is that of an answer. */
  public static boolean isAnswer(String summary) {
    return !summary.startsWith("no answer");
  }
}
