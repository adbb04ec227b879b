package io.nereid.benchmarks.torture.attack.share;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.AttackOutcome;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.wire.Requests;
import io.nereid.benchmarks.torture.wire.SingleExchange;
import io.nereid.engine.file.FileTree;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Clients that have each request traced, in as many files as they may have made. */
public final class TraceFiles implements Attack.Script {
  private static final int MAX_FILES = 20;
  private static final int CLIENTS = 20;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration DURATION = Duration.ofSeconds(6);

  private final Path folder =
      Path.of(System.getProperty("java.io.tmpdir"), "nereid-torture-traces");

  /** The attack, which needs a server with a folder for traces. */
  public static Attack attack() {
    var files = new TraceFiles();
    return Attack.of(
            "trace-files",
            "a client has all requests traced, in the smallest files that it may ask for",
            files)
        .needing(
            Needs.options(
                "--trace-config=triton,file=" + files.folder.resolve("trace"),
                "--trace-config=triton,max-files=" + MAX_FILES));
  }

  @Override
  public AttackOutcome run(Scene scene) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    InetSocketAddress http = scene.target().http();
    try {
      boolean refused = !set(http, 1);
      boolean allowed = set(http, 100);
      long traced = flood(scene);
      int written = FileTree.list(folder).size();
      for (Path file : FileTree.list(folder)) {
        Files.delete(file);
      }
      traced += flood(scene);
      int writtenAgain = FileTree.list(folder).size();
      return AttackOutcome.of("%d requests, %d files".formatted(traced, written))
          .require(refused, "a file for each trace was allowed")
          .require(allowed, "files of 100 traces were refused")
          .require(written <= MAX_FILES, "there are %d files of traces".formatted(written))
          .require(writtenAgain > 0, "no trace is written although there is room again");
    } finally {
      FileTree.delete(folder);
    }
  }

  private static long flood(Scene scene) throws InterruptedException {
    return Repeated.answered(
        scene.target().http(),
        scene.scale().count(CLIENTS),
        Requests.simple("simple"),
        scene.scale().hold(DURATION));
  }

  private static boolean set(InetSocketAddress http, int logFrequency) throws IOException {
    String body =
        "{\"trace_level\":[\"TIMESTAMPS\"],\"trace_rate\":\"1\",\"log_frequency\":\"%d\"}"
            .formatted(logFrequency);
    return SingleExchange.of(http, TIMEOUT, Requests.postTo("/v2/trace/setting", body)).isOk();
  }
}
