package io.nereid.benchmarks.torture.stop;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.nereid.benchmarks.torture.attack.Crowd;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.server.TortureModels;
import io.nereid.benchmarks.torture.wire.Frames;
import io.nereid.benchmarks.torture.wire.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/** The life of one server: load on both protocols, SIGTERM at a moment, its end. */
record StopRound(ServerLauncher launcher) {
  private static final int CLIENTS = 4;
  private static final int HALF_SENT = 25;
  private static final int LARGE_FLOATS = 150_528;
  private static final Duration EXIT_LIMIT = Duration.ofMinutes(1);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final Duration END = Duration.ofSeconds(10);
  private static final byte[] HALF_MESSAGE = {0, 0, 0, 1, 0, 1};

  /**
   * What was seen.
   *
   * @param exitMillis from the signal to the end of the process; that of the limit if it did not
   *     end
   */
  record Result(
      long answered,
      long refused,
      long lost,
      long slowestMillis,
      long exitMillis,
      OptionalInt status,
      List<String> reasons) {
    /** Whether nothing accepted was lost, and the server ended in time with status 0. */
    boolean holds() {
      return lost == 0 && status.orElse(1) == 0 && exitMillis <= slowestMillis + GRACE.toMillis();
    }
  }

  /** Runs the load for {@code load}, and then stops the server. */
  Result run(String name, Duration load) throws IOException, InterruptedException {
    try (var server = launcher.start(name, Needs.NOTHING, List.of())) {
      Target target = server.awaitTarget();
      var ledger = new Ledger();
      ManagedChannel channel = NettyChannelBuilder.forAddress(target.grpc()).usePlaintext().build();
      List<Thread> clients = start(target, channel, ledger);
      try (var _ = Crowd.open(target.http(), HALF_SENT, halfHead());
          var _ = Crowd.open(target.http(), HALF_SENT, halfBody());
          var _ = Crowd.open(target.grpc(), HALF_SENT, halfMessage())) {
        Thread.sleep(load);
        long signal = System.nanoTime();
        server.terminate();
        OptionalInt status = server.awaitExit(EXIT_LIMIT);
        long exit = System.nanoTime() - signal;
        server.kill(); // for the clients of one that does not end
        for (Thread client : clients) {
          client.join(END);
        }
        return new Result(
            ledger.answered(),
            ledger.refused(signal),
            ledger.lost(signal),
            TimeUnit.NANOSECONDS.toMillis(ledger.slowestNanos()),
            TimeUnit.NANOSECONDS.toMillis(exit),
            status,
            ledger.reasons(signal));
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static List<Thread> start(Target target, ManagedChannel channel, Ledger ledger) {
    List<Runnable> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new HttpClient(target.http(), Requests.simple("simple"), ledger));
      clients.add(new HttpClient(target.http(), Requests.simple(TortureModels.DELAYED), ledger));
      clients.add(new GrpcClient(channel, Requests.grpcSimple("simple"), ledger));
    }
    clients.add(new GrpcClient(channel, Requests.grpcSimple(TortureModels.DELAYED), ledger));
    clients.add(new HttpClient(target.http(), Requests.identity(LARGE_FLOATS), ledger));
    return clients.stream().map(Thread.ofVirtual()::start).toList();
  }

  private static byte[] halfHead() {
    return Requests.bytes("POST /v2/models/simple/infer HTTP/1.1\r\nHost: local");
  }

  private static byte[] halfBody() {
    byte[] request = Requests.simple("simple");
    return Arrays.copyOf(request, request.length - 1);
  }

  private static byte[] halfMessage() {
    return Frames.begin(
        Frames.call(1, "ModelInfer"), Frames.frame(Frames.DATA, 0, 1, HALF_MESSAGE));
  }
}
