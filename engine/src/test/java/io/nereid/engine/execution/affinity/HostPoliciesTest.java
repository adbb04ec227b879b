package io.nereid.engine.execution.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.nereid.engine.testing.LogCapture;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Policies of threads, as Linux sees them. */
@EnabledOnOs(
    value = OS.LINUX,
    architectures = {"amd64", "aarch64"})
class HostPoliciesTest {
  private final int core = TaskStatus.current().lastCore();

  private static HostPolicies policies(String name, String setting, String value) {
    return HostPolicies.of(Map.of(name, HostPolicy.ANY.with(setting, value)));
  }

  private HostPolicies pinned() {
    return policies("cpu", "cpu-cores", core + "-" + core);
  }

  /** What a new thread returns. */
  private static <T> T onThread(Callable<T> action) throws Exception {
    var task = new FutureTask<>(action);
    Thread.ofPlatform().start(task);
    try {
      return task.get();
    } catch (ExecutionException failed) {
      throw (Exception) failed.getCause();
    }
  }

  @Test
  void aThreadRunsOnTheProcessorsOfItsPolicy() throws Exception {
    String cores =
        onThread(() -> {
          pinned().apply("cpu");
          return TaskStatus.current().cores();
        });

    assertThat(cores).isEqualTo(Integer.toString(core));
  }

  @Test
  void theThreadsThatItStartsDoToo() throws Exception {
    String cores =
        onThread(() -> {
          pinned().apply("cpu");
          return onThread(() -> TaskStatus.current().cores());
        });

    assertThat(cores).isEqualTo(Integer.toString(core));
  }

  @Test
  void otherThreadsAreNotConcerned() throws Exception {
    String before = TaskStatus.current().cores();

    onThread(() -> {
      pinned().apply("cpu");
      return core;
    });

    assertThat(TaskStatus.current().cores()).isEqualTo(before);
    assertThat(onThread(() -> TaskStatus.current().cores())).isEqualTo(before);
  }

  @Test
  void aPolicyThatIsNotSetHasNoEffect() throws Exception {
    String before = TaskStatus.current().cores();

    for (HostPolicies policies : List.of(pinned(), HostPolicies.NONE)) {
      String cores =
          onThread(() -> {
            policies.apply("gpu_0");
            return TaskStatus.current().cores();
          });
      assertThat(cores).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @CsvSource({"Mac OS X, aarch64", "Windows Server 2025, amd64", "Linux, riscv64"})
  void otherSystemsIgnorePoliciesAndSayThatTheyDo(String system, String architecture)
      throws Exception {
    String before = TaskStatus.current().cores();
    var policy = HostPolicy.ANY.with("cpu-cores", core + "-" + core);
    try (var log = new LogCapture(HostPolicies.class.getName())) {
      HostPolicies policies = HostPolicies.of(Map.of("cpu", policy), system, architecture);
      String cores =
          onThread(() -> {
            policies.apply("cpu");
            return TaskStatus.current().cores();
          });

      assertThat(cores).isEqualTo(before);
      assertThat(log.messages())
          .containsExactly("host policies have no effect on " + system + " " + architecture);
    }
  }

  @Test
  void processorsThatTheMachineLacksAreRejected() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            onThread(() -> {
              policies("cpu", "cpu-cores", "8000-8191").apply("cpu");
              return core;
            }))
        .withMessage("Unable to set NUMA thread affinity: Invalid argument")
        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL));
  }

  @Test
  void aThreadAllocatesInTheNodeOfItsPolicy() throws Exception {
    var outcome = new CompletableFuture<String>();
    Thread.ofPlatform()
        .start(() -> {
          try {
            policies("cpu", "numa-node", "0").apply("cpu");
            outcome.complete(Files.readString(Path.of("/proc/thread-self/numa_maps")));
          } catch (Throwable failed) {
            outcome.complete(failed.toString());
          }
        });

    String maps = outcome.get();

    assumeFalse(
        maps.contains("NUMA memory policy: Operation not permitted")
            || maps.contains("NUMA memory policy: Function not implemented")
            || maps.contains("NoSuchFileException"),
        maps);
    assertThat(maps).contains(" bind:0 ");
  }

  @Test
  void aNodeThatTheMachineLacksIsRejected() throws Exception {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            onThread(() -> {
              policies("cpu", "numa-node", "900").apply("cpu");
              return core;
            }))
        .withMessageStartingWith("Unable to set NUMA memory policy: ");
  }
}
