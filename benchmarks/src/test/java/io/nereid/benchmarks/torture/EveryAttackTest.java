package io.nereid.benchmarks.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.benchmarks.torture.attack.Attack;
import io.nereid.benchmarks.torture.attack.Scale;
import io.nereid.benchmarks.torture.attack.Scene;
import io.nereid.benchmarks.torture.server.Needs;
import io.nereid.benchmarks.torture.server.ServerLauncher;
import io.nereid.benchmarks.torture.server.ServerProcess;
import io.nereid.benchmarks.torture.server.Target;
import io.nereid.benchmarks.torture.server.TortureModels;
import io.nereid.server.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs each attack once, a hundredth of its size, against one server in a process of its own. */
@EnabledOnOs(OS.LINUX)
final class EveryAttackTest {
  private static final Scale SCALE = new Scale(0.01, Duration.ofMillis(300));

  @TempDir static Path folder = Path.of("");

  private static @Nullable ServerProcess server;

  private final Campaign campaign =
      new Campaign(
          SCALE, new Bounds(1e6, 1e6, 0, 1_000), Duration.ZERO, Duration.ofSeconds(20), 4_096);

  @BeforeAll
  static void startServer() throws Exception {
    // In a file, since ONNX Runtime recurses over the text of the process's command line.
    Path arguments = folder.resolve("arguments");
    Files.write(
        arguments,
        Stream.of(
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--backend-directory=" + folder.resolve("no-backends"))
            .map(argument -> '"' + argument.replace("\\", "\\\\") + '"')
            .toList());
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    var launcher =
        new ServerLauncher(
            List.of(java.toString(), "@" + arguments),
            Map.of(),
            TortureModels.write(folder.resolve("models")),
            folder,
            0);
    server =
        launcher.start(
            "server",
            Needs.options(
                "--http-max-input-size=3000000000", "--allow-client-shm=true", "--server-warmup=0"),
            List.of());
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> theServerHoldsUnder() throws Exception {
    Target target = Objects.requireNonNull(server).awaitTarget();
    return Attacks.all().stream()
        .filter(attack -> !attack.startsServers() && attack.needs().maxFiles() == 0)
        .filter(attack -> !attack.name().equals("trace-files")) // a hundredth of it fills no file
        .map(attack -> DynamicTest.dynamicTest(attack.name(), () -> run(attack, target)));
  }

  private void run(Attack attack, Target target) throws Exception {
    AttackReport report = campaign.run(attack, new Scene(target, SCALE, Optional.empty()));

    assertThat(report.outcome().violations()).isEmpty();
    assertThat(report.metrics().leases()).hasValue(0);
    assertThat(report.budgetBytes()).isZero();
  }
}
