package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tck.TckModels;
import io.nereid.tck.command.TckCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code tck} on a server that runs; {@link TckTest} runs all of its rules. */
class TckCommandServerTest {
  private final StringWriter out = new StringWriter();

  @TempDir private Path folder = Path.of("");
  private Path models = Path.of("");

  @BeforeEach
  void createRepository() throws IOException {
    models = Files.createDirectory(folder.resolve("models"));
  }

  /** Verifies these areas of a server of the repository; returns the exit status. */
  private int verify(String areas, String... options) throws IOException {
    try (var server = LocalServer.start(LocalServer.options(models), new CheckedBufferPool())) {
      List<String> arguments =
          new ArrayList<>(
              List.of("--url=http://127.0.0.1:" + server.httpPort(), "--area=" + areas));
      arguments.add("--output=" + folder.resolve("report"));
      for (String option : options) {
        arguments.add(option.replace("{grpc}", Integer.toString(server.grpcPort())));
      }
      var printer = new PrintWriter(out, true);
      return TckCommand.run(printer, printer, arguments.toArray(String[]::new));
    }
  }

  private String results() throws IOException {
    return Files.readString(folder.resolve("report/results.json"));
  }

  @Test
  void aServerWithAllModelsConforms() throws IOException {
    TckModels.extractTo(models);

    int status =
        verify("HTTP-HEALTH,HTTP-INFER,GRPC-HEALTH,GRPC-ERROR", "--grpc-url=127.0.0.1:{grpc}");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString()).contains("nereid", " conforms: ");
    assertThat(results()).contains("POST /v2/models/simple/infer", "\"ModelReady\"");
  }

  /** Rules that pass without models are those of a server that has none, and no others. */
  @Test
  void rulesOfModelsAreSkippedOnAServerWithoutModels() throws IOException {
    int status = verify("HTTP-METADATA,HTTP-ROUTE,HTTP-INFER,STAT");

    assertThat(status).as(out.toString()).isZero();
    assertThat(out.toString())
        .containsPattern(" conforms as far as it was verified: .* [1-9]\\d* were skipped");
    assertThat(results())
        .doesNotContain("\"verdict\" : \"failed\"")
        .contains("the server has no model 'simple': 400 to ready");
  }

  /** Rules that count from 0 are skipped, and the others pass however often they are run. */
  @Test
  void theSameServerConformsAgain() throws IOException {
    TckModels.extractTo(models);

    try (var server = LocalServer.start(LocalServer.options(models), new CheckedBufferPool())) {
      for (int run = 0; run < 2; run++) {
        var printer = new PrintWriter(out, true);
        int status =
            TckCommand.run(
                printer,
                printer,
                "--url=http://127.0.0.1:" + server.httpPort(),
                "--grpc-url=127.0.0.1:" + server.grpcPort(),
                "--area=STAT",
                "--output=" + folder.resolve("report"));
        assertThat(status).as(out.toString()).isZero();
      }
    }
    assertThat(results()).contains("counts begin at 0 on a server that the kit starts");
  }
}
