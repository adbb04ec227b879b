package io.nereid.server.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.execution.affinity.TaskStatus;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.model.config.ModelOnDisk;
import io.nereid.server.LocalServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The option {@code --host-policy}, from the command line to the threads of instances. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = {"amd64", "aarch64"})
class HostPolicyServerTest {
  private static final String CONFIG =
      """
      backend: "gate"
      parameters { key: "gate_open" value { string_value: "true" } }
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  @TempDir private Path repository;

  @Test
  void anInstanceRunsOnTheProcessorsOfItsHostPolicy() throws Exception {
    String before = TaskStatus.current().cores();
    int core = TaskStatus.current().lastCore();
    ModelOnDisk.of(repository, "hp", CONFIG + "instance_group { name: 'a' count: 2 }");
    ModelOnDisk.of(
        repository, "hq", CONFIG + "instance_group { name: 'b' count: 1 host_policy: 'free' }");
    String option = "--host-policy=cpu,cpu-cores=%d-%d".formatted(core, core);

    try (var _ =
        new LocalServer(LocalServer.options(repository, option), new CheckedBufferPool())) {
      assertThat(TaskStatus.named("instance a_"))
          .hasSize(2)
          .allSatisfy(task -> assertThat(task.cores()).isEqualTo(Integer.toString(core)));
      assertThat(TaskStatus.named("instance b_"))
          .hasSize(1)
          .allSatisfy(task -> assertThat(task.cores()).isEqualTo(before));
    }
  }
}
