package io.nereid.server.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.server.options.ParsedOptions;
import io.nereid.server.options.ServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests for Kubernetes: what they tell the server, and when they stop it. */
class ManifestsTest {
  private static final Path MANIFESTS = Path.of("..", "deploy", "kubernetes");
  private static final Pattern ARGUMENT = Pattern.compile("(?m)^ +- \"?(--[^\"\\n]+)\"?$");
  private static final Pattern PRE_STOP = Pattern.compile("sleep:\\s+seconds: (\\d+)");
  private static final Pattern GRACE = Pattern.compile("terminationGracePeriodSeconds: (\\d+)");

  /** Kubernetes' own. */
  private static final int DEFAULT_GRACE = 30;

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1)).toList();
  }

  /** The documents that run the server. */
  private static List<String> servers() throws IOException {
    try (Stream<Path> files = Files.list(MANIFESTS)) {
      List<String> servers =
          files
              .sorted()
              .flatMap(file -> Stream.of(read(file).split("\n---\n")))
              .filter(document -> document.contains("  containers:"))
              .toList();
      assertThat(servers).hasSize(3);
      return servers;
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  private static ServerOptions options(String server) {
    return ParsedOptions.of(all(ARGUMENT, server).toArray(String[]::new));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyArgumentIsAnOptionOfTheServer(String server) {
    ServerOptions options = options(server);

    assertThat(options.models().repositories()).hasSize(1);
    assertThat(options.models().bareModel().isPresent()).isEqualTo(server.contains("- name: onnx"));
  }

  @ParameterizedTest
  @MethodSource("servers")
  void thePortsOfTheContainerAreThoseOfTheServer(String server) {
    ServerOptions options = options(server);

    assertThat(server)
        .contains(
            "containerPort: " + options.http().listener().port(),
            "containerPort: " + options.grpc().listener().port());
  }

  @ParameterizedTest
  @MethodSource("servers")
  void theServerHasEndedBeforeItIsKilled(String server) {
    int preStop = Integer.parseInt(all(PRE_STOP, server).getFirst());
    List<String> stated = all(GRACE, server);
    int grace = stated.isEmpty() ? DEFAULT_GRACE : Integer.parseInt(stated.getFirst());

    assertThat(preStop + options(server).exitTimeout().toSeconds()).isLessThan(grace);
  }
}
