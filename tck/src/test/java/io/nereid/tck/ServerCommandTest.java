package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands print their words and end: the log tells what they were started with. */
class ServerCommandTest {
  @TempDir private Path folder = Path.of("");

  private String printed(String command) throws IOException {
    Path log = folder.resolve("server.log");
    assertThatThrownBy(() -> ServerCommand.of(command, log).startServer(folder))
        .isInstanceOf(IOException.class)
        .hasMessage("the server has ended with status 0: see " + log);
    return Files.readString(log);
  }

  @Test
  void appendsTritonsOptionsToACommandWithoutPlaceholders() throws IOException {
    assertThat(printed("echo serve"))
        .matches(
            "serve --model-repository=\\S+ --http-port=\\d+ --grpc-port=\\d+ --metrics-port=\\d+"
                + " --exit-timeout-secs=1\n");
  }

  @Test
  void replacesPlaceholdersAndAppendsNothing() throws IOException {
    assertThat(printed("echo serve {models} --ports={http},{grpc} {metrics}"))
        .matches("serve " + folder + " --ports=\\d+,\\d+ \\d+\n");
  }

  @Test
  void choosesPortsThatAreNotGivenToOthers() throws IOException {
    int[] ports =
        Stream.of(printed("echo {http} {grpc} {metrics}").strip().split(" "))
            .mapToInt(Integer::parseInt)
            .toArray();

    assertThat(ports).doesNotHaveDuplicates();
    assertThat(IntStream.of(ports)).allMatch(port -> port >= 20_000 && port < 32_768);
  }

  @Test
  void waitsUntilTheServerIsReady() throws Exception {
    String java = ProcessHandle.current().info().command().orElseThrow();
    Path classes =
        Path.of(SlowServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    var words = List.of(java, "-cp", classes.toString(), SlowServer.class.getName(), "{http}");
    var command = new ServerCommand(words, folder.resolve("server.log"));

    try (var server = command.startServer(folder);
        var wire = server.connect()) {
      assertThat(wire.send("GET", "/v2/health/ready", new byte[0], Map.of()).status())
          .isEqualTo(200);
      assertThat(server.grpcPort()).isZero();
      assertThat(server.metrics()).isEmpty();
    }
  }

  @Test
  void hasNoControlModesWithPlaceholders() throws IOException {
    var command = ServerCommand.of("false {http}", folder.resolve("server.log"));

    assertThat(command.startServer(ModelControlMode.POLL, List.of(folder), List.of())).isEmpty();
  }
}
