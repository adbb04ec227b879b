package io.nereid.client;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What failures say that are the client's own, whatever the transport. For transports. */
public final class Sentences {
  public static final String CLOSED = "the client is closed";
  public static final String INTERRUPTED = "the waiting thread was interrupted";
  public static final String SPEAKS_GRPC = "this port speaks gRPC: use grpc://...";
  public static final String SPEAKS_HTTP = "this port speaks HTTP: use http://...";

  private static final int MOST_CAUSES = 20;

  private Sentences() {}

  /** Names the time that the call had. */
  static String deadline(Duration time) {
    long nanos = time.toNanos();
    String text;
    if (nanos % 1_000_000_000 == 0) {
      text = nanos / 1_000_000_000 + " s";
    } else if (nanos % 1_000_000 == 0) {
      text = nanos / 1_000_000 + " ms";
    } else {
      text = nanos % 1000 == 0 ? nanos / 1000 + " us" : nanos + " ns";
    }
    return "the deadline of " + text + " has passed";
  }

  /** What is wrong with a response that is longer than {@link TransportSettings} allow. */
  public static String tooLong(int limit) {
    return "the response is longer than the limit of %d bytes (maxResponseBytes)".formatted(limit);
  }

  /** A failure and its causes, of which there may be a circle. */
  public static List<Throwable> causes(@Nullable Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable cause = failure;
    while (cause != null && causes.size() < MOST_CAUSES) {
      causes.add(cause);
      cause = cause.getCause();
    }
    return causes;
  }

  /** Why there is no connection; null if the failure and its causes do not say. */
  public static @Nullable String noConnection(@Nullable Throwable failure) {
    String sentence = null;
    for (Throwable cause : causes(failure)) {
      if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
        return "no connection: the host is unknown";
      }
      if (cause instanceof ConnectException) {
        String message = cause.getMessage();
        sentence =
            message == null || message.contains("Connection refused")
                ? "no connection: no server listens at this port"
                : "no connection: " + message;
      }
    }
    return sentence;
  }
}
