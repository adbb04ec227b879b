package io.nereid.benchmarks.torture.server;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of commands that start servers of their own. */
public final class LaunchOptions {
  private final String command;

  @Option(
      names = "--server",
      paramLabel = "FILE",
      description = "A program that serves with the options of 'nereid serve': ${DEFAULT-VALUE}.")
  private Path server = Path.of("./nereid");

  @Option(
      names = "--java-opts",
      paramLabel = "OPTIONS",
      description = "JAVA_OPTS of the server: ${DEFAULT-VALUE}.")
  private String javaOptions;

  @Option(
      names = "--default-heap",
      description = "No JAVA_OPTS: the heap is the one that the server itself chooses.")
  private boolean defaultHeap;

  @Option(
      names = "--max-files",
      paramLabel = "COUNT",
      description =
          "How many files a server may open, unless an attack needs another limit; that of this"
              + " process without it.")
  private int maxFiles;

  /**
   * @param command for the name of a new folder
   * @param javaOptions without {@code --java-opts}
   */
  public LaunchOptions(String command, String javaOptions) {
    this.command = command;
    this.javaOptions = javaOptions;
  }

  /** By how many MiB the heap of a server may grow: a quarter of this machine's memory, or not. */
  public long heapGrowthMebibytes() {
    var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return defaultHeap ? machine.getTotalMemorySize() >> 22 : 0;
  }

  /**
   * A launcher of servers with the models of the attacks.
   *
   * @throws IOException if the folder for models and logs cannot be written
   */
  public ServerLauncher launcher() throws IOException {
    Path folder = Files.createTempDirectory("nereid-" + command);
    return new ServerLauncher(
        List.of(server.toString(), "serve"),
        defaultHeap ? Map.of() : Map.of("JAVA_OPTS", javaOptions),
        TortureModels.write(folder.resolve("models")),
        folder,
        maxFiles);
  }
}
