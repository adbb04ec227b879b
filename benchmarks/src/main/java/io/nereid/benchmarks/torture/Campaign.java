package io.nereid.benchmarks.torture;

import io.nereid.benchmarks.torture.AttackReport.Resident;
import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.ScrapedMetrics;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.ServerMemory;
import io.nereid.benchmarks.torture.server.ServerProcess;
import io.nereid.benchmarks.torture.server.ServerThreads;
import io.nereid.benchmarks.torture.server.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs attacks, one after the other: warms the server up, sends good requests while the attack
 * lasts, and waits afterwards until memory and leases are back. Not thread-safe.
 *
 * @param warmUp how long good requests are sent before memory is read
 * @param settle how long memory and leases may take to be back
 * @param maxMebibytes the resident memory above which a server is killed, for the sake of the
 *     machine
 */
record Campaign(Scale scale, Bounds bounds, Duration warmUp, Duration settle, long maxMebibytes) {
  /** How often a good request is sent each way. */
  private static final Duration INTERVAL = Duration.ofMillis(100);

  private static final Duration ATTACK_LIMIT = Duration.ofMinutes(2);
  private static final Duration EXIT_LIMIT = Duration.ofMinutes(1);
  private static final int POLL_MILLIS = 250;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Runs an attack on a server that is started for it, and stopped by SIGTERM afterwards. */
  AttackReport run(Attack attack, ServerLauncher launcher)
      throws IOException, InterruptedException {
    try (var server = launcher.start(attack.name(), attack.needs(), List.of())) {
      Target target = server.awaitTarget();
      long lines = server.log().size();
      var report = run(attack, new Scene(target, scale, Optional.of(launcher)));
      long logged = server.log().size() - lines;
      return report.with(logged, end(server));
    }
  }

  private static String end(ServerProcess server) throws InterruptedException {
    if (!server.isAlive()) {
      return "dead before";
    }
    server.terminate();
    OptionalInt status = server.awaitExit(EXIT_LIMIT);
    return status.isPresent() ? Integer.toString(status.getAsInt()) : "does not end";
  }

  /** Runs an attack on a server that goes on afterwards. */
  AttackReport run(Attack attack, Scene scene) throws IOException, InterruptedException {
    Target target = scene.target();
    try (var memory = ServerMemory.of(target.pid(), maxMebibytes);
        var good = new GoodRequests(target)) {
      good.warmUp(warmUp);
      var threads =
          warmUp.isZero()
              ? ServerThreads.of(target.pid())
              : ServerThreads.afterWarmUp(target.pid());
      long before = memory.mebibytes();
      good.start(INTERVAL);
      AttackOutcome outcome = outcome(attack, scene);
      long end = System.nanoTime();
      good.stop();
      Settled settled = settle(target, memory, before, end);
      String failure = good.check();
      outcome = outcome.require(failure == null, "afterwards a good request fails: " + failure);
      outcome =
          outcome.require(
              settled.page().isPresent() || target.metrics().isEmpty(),
              "afterwards there are no metrics");
      for (String missing : threads.missingFrom(ServerThreads.of(target.pid()))) {
        outcome = outcome.require(false, missing);
      }
      return new AttackReport(
          attack,
          outcome,
          good.latencies(),
          new Resident(before, memory.peakMebibytes(), settled.mebibytes(), settled.seconds()),
          settled.page().orElse(ScrapedMetrics.NONE),
          0,
          "");
    }
  }

  /** Runs the attack on a virtual thread, whose interrupt ends what blocks in a socket. */
  private static AttackOutcome outcome(Attack attack, Scene scene) throws InterruptedException {
    var outcome = new FutureTask<>(() -> attack.script().run(scene));
    Thread thread = Thread.ofVirtual().name(attack.name()).start(outcome);
    try {
      return outcome.get(ATTACK_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      return AttackOutcome.of("–").require(false, "the attack failed: " + e.getCause());
    } catch (TimeoutException _) {
      return AttackOutcome.of("–").require(false, "the attack did not end");
    } finally {
      thread.interrupt();
      thread.join(ATTACK_LIMIT);
    }
  }

  /** What is left of the attack; no page if the metrics could not be read. */
  private record Settled(long mebibytes, double seconds, Optional<ScrapedMetrics> page) {}

  private Settled settle(Target target, ServerMemory memory, long before, long end)
      throws InterruptedException {
    while (true) {
      Duration since = Duration.ofNanos(System.nanoTime() - end);
      long now = memory.mebibytes();
      Optional<ScrapedMetrics> page = target.metrics().flatMap(Campaign::page);
      boolean back = bounds.isBack(before, now) && page.map(ScrapedMetrics::isIdle).orElse(true);
      if (back || since.compareTo(settle) >= 0) {
        return new Settled(now, since.toNanos() / NANOS_PER_SECOND, page);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** The metrics; empty if the server does not answer, which the check afterwards reports. */
  private static Optional<ScrapedMetrics> page(InetSocketAddress server) {
    try {
      return Optional.of(ScrapedMetrics.read(server));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
