package io.nereid.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.benchmarks.CommandLines;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class LoadGeneratorTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  @EnabledOnOs(OS.LINUX)
  void writesARowAndALineOfJsonForEachRound(@TempDir Path folder) throws Exception {
    var file = folder.resolve("results.jsonl");
    try (var server = new FakeHttpServer(_ -> FakeHttpServer.ok(10))) {
      int status =
          execute(
              "--preset=http simple json",
              "--inflight=2",
              "--rounds=2",
              "--warmup=0.1",
              "--seconds=0.3",
              "--http=" + server.url(),
              "--pid=" + ProcessHandle.current().pid(),
              "--out=" + file);

      assertThat(status).as("%s%s", out, err).isZero();
    }
    assertThat(out.toString().lines()).hasSize(3);
    assertThat(Files.readAllLines(file))
        .hasSize(2)
        .allSatisfy(line ->
            assertThat(line)
                .matches(
                    "\\{\"cell\":\"http simple json\",\"n\":2,.*\"errors\":0,.*\"rss_mib\":[1-9]\\d*,.*}")
                .containsPattern("\"server_cpu_us_per_req\":[1-9]"));
  }

  @Test
  void runsOnlyTheCellsThatMatch() throws Exception {
    try (var server = new FakeHttpServer(_ -> FakeHttpServer.ok(10))) {
      execute(
          "--all",
          "--only=http simple .* 16$",
          "--warmup=0",
          "--seconds=0.1",
          "--http=" + server.url());
    }

    assertThat(out.toString().lines().skip(1))
        .hasSize(2)
        .allMatch(row -> row.matches("http simple (json|binary) +16 .*"));
  }

  @Test
  void exitsWithOneWhenRequestsFail() throws Exception {
    try (var server =
        new FakeHttpServer(_ -> "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")) {
      int status =
          execute(
              "--preset=http simple json",
              "--inflight=1",
              "--warmup=0",
              "--seconds=0.1",
              "--http=" + server.url());

      assertThat(status).isEqualTo(1);
      assertThat(out.toString()).contains("errors, the first: HTTP status 404");
    }
  }

  @Test
  void rejectsACommandLineWithoutACell() {
    assertThat(execute()).isEqualTo(2);
    assertThat(err.toString()).contains("use --all or --preset NAME");

    assertThat(execute("--preset=http simpel")).isEqualTo(2);
    assertThat(err.toString()).contains("no preset 'http simpel'");
  }

  @Test
  void reportsAMissingServerInOneLine() {
    assertThat(execute("--preset=http simple json", "--http=http://127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("load: http://127.0.0.1:1: Connection refused");
  }

  private int execute(String... arguments) {
    return CommandLines.of(new LoadGenerator())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
