package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.tck.support.HttpWire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The options of commands and the metrics of the server are those of the lists: what a release has
 * had may not vanish or be renamed but as docs/releasing.md says, and what is new is added.
 */
@Timeout(120)
class StableNamesTest {
  private static final Path LISTS = Path.of("src", "test", "resources", "io", "nereid", "server");

  private static void assertListed(String list, Set<String> names) throws IOException {
    Files.write(Path.of("target", list), names); // to be copied, when names were added
    assertThat(names).isEqualTo(new TreeSet<>(Files.readAllLines(LISTS.resolve(list))));
  }

  @Test
  void optionsAreThoseOfTheList() throws IOException {
    var names = new TreeSet<String>();
    for (CommandLine command : Main.commandLine().getSubcommands().values()) {
      for (var option : command.getCommandSpec().options()) {
        for (String name : option.names()) {
          names.add(command.getCommandName() + " " + name);
        }
      }
    }

    assertListed("stable-options.txt", names);
  }

  @Test
  void metricsAreThoseOfTheList(@TempDir Path directory) throws IOException {
    var options =
        LocalServer.options(
            Path.of("..", "examples", "models"),
            "--model-control-mode=explicit",
            "--load-model=simple",
            "--load-model=identity_fp32",
            "--cache-config=local,size=1048576",
            "--access-log=" + directory.resolve("access.log"),
            "--metrics-config=summary_latencies=true",
            "--metrics-config=histogram_latencies=true",
            "--allow-metrics=true",
            "--metrics-port=0");
    try (var server = new LocalServer(options, new CheckedBufferPool());
        var wire = new HttpWire(server.metrics())) {
      List<String> types =
          wire.send("GET", "/metrics", new byte[0], Map.of())
              .text()
              .lines()
              .filter(line -> line.startsWith("# TYPE "))
              .map(line -> line.substring("# TYPE ".length()))
              .toList();

      assertListed("stable-metrics.txt", new TreeSet<>(types));
    }
  }
}
