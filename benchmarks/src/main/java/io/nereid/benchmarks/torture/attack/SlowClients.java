package io.nereid.benchmarks.torture.attack;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;

/** Connections that do not finish what they begin, of several kinds at the same time. */
public final class SlowClients {
  private static final Duration TRICKLE = Duration.ofSeconds(1);

  private SlowClients() {}

  /**
   * What a connection sends.
   *
   * @param begin at once
   * @param octet then every second; empty if nothing follows
   */
  public record Kind(String name, ByteString begin, OptionalInt octet) {
    public static Kind waiting(String name, byte[] begin) {
      return new Kind(name, ByteString.copyFrom(begin), OptionalInt.empty());
    }

    public static Kind trickling(String name, byte[] begin, int octet) {
      return new Kind(name, ByteString.copyFrom(begin), OptionalInt.of(octet));
    }
  }

  /** Opens {@code each} connections of each kind, and waits for the server to close them. */
  public static AttackOutcome run(InetSocketAddress server, Scale scale, int each, List<Kind> kinds)
      throws InterruptedException {
    int count = scale.count(each);
    List<Callable<String>> tasks = new ArrayList<>();
    kinds.forEach(kind -> tasks.add(() -> closed(server, scale, count, kind)));
    return AttackOutcome.of(
        "of %d within %d s closed: ".formatted(count, scale.hold().toSeconds())
            + String.join(", ", Crowd.inParallel(tasks)));
  }

  private static String closed(InetSocketAddress server, Scale scale, int count, Kind kind)
      throws IOException, InterruptedException {
    try (var crowd = Crowd.open(server, count, kind.begin().toByteArray())) {
      int closed =
          kind.octet().isPresent()
              ? crowd.closedWhileSending(kind.octet().getAsInt(), TRICKLE, scale.hold())
              : crowd.closedWithin(scale.hold());
      return "%s %d".formatted(kind.name(), closed + crowd.refused());
    }
  }
}
