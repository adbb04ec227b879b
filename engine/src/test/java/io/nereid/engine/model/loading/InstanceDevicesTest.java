package io.nereid.engine.model.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.config.InstanceSettings;
import io.nereid.config.InstanceSettings.Kind;
import io.nereid.engine.execution.ratelimit.RateLimiter;
import io.nereid.error.InferenceException;
import io.nereid.tck.gate.Gate;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The devices of instances, with a backend that reports GPUs. */
class InstanceDevicesTest {
  private static final String CONFIG =
      """
      name: "devices"
      backend: "gate"
      input { name: "IN0" data_type: TYPE_FP32 dims: 4 }
      output { name: "OUT0" data_type: TYPE_FP32 dims: 4 }
      """;

  @TempDir private Path repository;

  @AfterEach
  void forgetTheGate() {
    Gate.forget("devices");
  }

  /** The instances that the backend is asked to open. */
  private List<InstanceSettings> load(int gpus, String groups) {
    Map<String, String> options = Map.of("gpus", Integer.toString(gpus));
    try (var loader = new LoaderUnderTest(repository, RateLimiter.OFF, options)) {
      loader.load(CONFIG + groups);
      return Gate.of("devices").instances();
    }
  }

  @Test
  void aModelWithoutInstanceGroupsUsesEachGpu() {
    assertThat(load(2, ""))
        .extracting(InstanceSettings::kind, InstanceSettings::deviceId)
        .containsExactlyInAnyOrder(tuple(Kind.KIND_GPU, 0), tuple(Kind.KIND_GPU, 1));
  }

  @Test
  void aModelWithoutInstanceGroupsUsesTheCpuIfTheBackendReportsNoGpu() {
    assertThat(load(0, ""))
        .extracting(InstanceSettings::kind, InstanceSettings::deviceId)
        .containsExactly(tuple(Kind.KIND_CPU, 0));
  }

  @Test
  void anAutomaticGroupUsesItsGpus() {
    assertThat(load(3, "instance_group { gpus: [ 0, 2 ] }"))
        .extracting(InstanceSettings::kind, InstanceSettings::deviceId)
        .containsExactlyInAnyOrder(tuple(Kind.KIND_GPU, 0), tuple(Kind.KIND_GPU, 2));
  }

  @Test
  void anAutomaticGroupIsOneOfTheCpuIfAGpuIsMissingAndMayThenNameNone() {
    assertThatThrownBy(() -> load(2, "instance_group { gpus: [ 1, 2 ] }"))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(
            "instance group devices_0 of model devices has kind KIND_CPU but specifies one or more"
                + " GPUs");
  }

  @Test
  void aGroupOnGpusHasItsInstancesOnEachOfThem() {
    assertThat(load(2, "instance_group { kind: KIND_GPU count: 2 gpus: 1 }"))
        .extracting(InstanceSettings::name, InstanceSettings::deviceId)
        .containsExactlyInAnyOrder(tuple("devices_0_0", 1), tuple("devices_0_1", 1));
  }

  @Test
  void aGroupOnGpusIsRejectedIfTheyAreMissing() {
    assertThatThrownBy(() -> load(0, "instance_group { kind: KIND_GPU }"))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(
            "instance group devices_0 of model devices has kind KIND_GPU but server does not"
                + " support GPUs");
    assertThatThrownBy(() -> load(2, "instance_group { kind: KIND_GPU gpus: 2 }"))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("specifies invalid or unsupported gpu id 2");
  }

  @Test
  void theBackendReceivesWhatItAloneInterprets() {
    String group =
        """
        platform: "tensorrt_plan"
        instance_group {
          name: "g" kind: KIND_GPU gpus: 1 count: 1 passive: true host_policy: "left"
          profile: [ "0", "3" ]
          secondary_devices { kind: KIND_NVDLA device_id: 5 }
        }
        """;

    assertThat(load(2, group))
        .singleElement()
        .satisfies(instance -> {
          assertThat(instance.passive()).isTrue();
          assertThat(instance.profiles()).containsExactly("0", "3");
          assertThat(instance.hostPolicy()).isEqualTo("left");
          assertThat(instance.secondaryDevices())
              .containsExactly(new InstanceSettings.SecondaryDevice("KIND_NVDLA", 5));
        });
  }
}
