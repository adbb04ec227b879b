package io.nereid.engine.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.nereid.config.InstanceSettings;
import io.nereid.config.InstanceSettings.Kind;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.model.config.validation.Rules;
import io.nereid.error.InferenceException;
import io.nereid.protocol.config.ModelConfig;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstanceGroupsTest {
  private static final List<Integer> NO_GPUS = List.of();
  private static final List<Integer> TWO_GPUS = List.of(0, 1);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          0 | instance_group { kind: KIND_CPU gpus: 0 } | instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs
          0 | instance_group { kind: KIND_MODEL gpus: 0 } | instance group m_0 of model m has kind KIND_MODEL but specifies one or more GPUs
          0 | instance_group { kind: KIND_CPU } instance_group { kind: KIND_GPU } | instance group m_1 of model m has kind KIND_GPU but server does not support GPUs
          0 | instance_group { kind: KIND_GPU gpus: 42 } | instance group m_0 of model m specifies invalid or unsupported gpu id 42. GPUs with at least
          2 | instance_group { name: 'g' kind: KIND_GPU gpus: [ 1, 2 ] } | instance group g of model m specifies invalid or unsupported gpu id 2. GPUs with at least the minimum required CUDA compute compatibility are: 0, 1
          0 | instance_group { profile: '0' } | specifies profile field which is only supported for TensorRT models
          0 | platform: 'tensorrt_plan' instance_group { profile: '-1' } | instance group m_0 of model m specifies invalid profile -1
          """)
  void reportsTheViolatedRule(int gpus, String config, String message) {
    assertThatThrownBy(() -> resolve(gpus == 0 ? NO_GPUS : TWO_GPUS, config))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining(message);
  }

  @Test
  void addsAGroupNamedLikeTheModelIfThereIsNone() throws Exception {
    assertThat(resolve(NO_GPUS, "")).containsExactly(cpu("m_0"), cpu("m_1"));
  }

  @Test
  void namesGroupsByIndexAndInstancesByNumber() throws Exception {
    assertThat(
            resolve(
                NO_GPUS,
                "instance_group { kind: KIND_CPU count: 1 }"
                    + " instance_group { name: 'own' kind: KIND_CPU count: 2 passive: true }"
                    + " instance_group { kind: KIND_MODEL }"))
        .containsExactly(
            cpu("m_0_0"),
            new InstanceSettings("own_0", Kind.KIND_CPU, 0, List.of(), true),
            new InstanceSettings("own_1", Kind.KIND_CPU, 0, List.of(), true),
            new InstanceSettings("m_2_0", Kind.KIND_MODEL, 0, List.of(), false));
  }

  @Test
  void usesAllGpusUnlessTheGroupNamesSome() throws Exception {
    assertThat(
            resolve(
                TWO_GPUS,
                "platform: 'tensorrt_plan' instance_group { profile: [ '0', '12' ] }"
                    + " instance_group { kind: KIND_GPU gpus: 1 count: 2 }"))
        .containsExactly(
            new InstanceSettings("m_0_0", Kind.KIND_GPU, 0, List.of("0", "12"), false),
            new InstanceSettings("m_0_0", Kind.KIND_GPU, 1, List.of("0", "12"), false),
            new InstanceSettings("m_1_0", Kind.KIND_GPU, 1, List.of(), false),
            new InstanceSettings("m_1_1", Kind.KIND_GPU, 1, List.of(), false));
  }

  @Test
  void copiesTheRateLimiterOfAGroupToItsInstances() throws Exception {
    var asked =
        new RateLimiterSettings(
            List.of(new Resource("R", false, 4), new Resource("S", true, 4_294_967_295L)), 2);

    assertThat(
            resolve(
                NO_GPUS,
                "instance_group { count: 2 rate_limiter { priority: 2"
                    + " resources { name: 'R' count: 4 }"
                    + " resources { name: 'S' global: true count: 4294967295 } } }"
                    + " instance_group { count: 1 }"))
        .extracting(InstanceSettings::rateLimiter)
        .containsExactly(asked, asked, RateLimiterSettings.NONE);
  }

  @Test
  void passesOnHostPoliciesAndSecondaryDevices() throws Exception {
    List<InstanceSettings> instances =
        resolve(
            TWO_GPUS,
            "instance_group { kind: KIND_CPU count: 1 } instance_group { kind: KIND_GPU count: 1 }"
                + " instance_group { kind: KIND_MODEL count: 1 }"
                + " instance_group { kind: KIND_CPU count: 1 host_policy: 'left'"
                + " secondary_devices { kind: KIND_NVDLA device_id: 3 } }");

    assertThat(instances)
        .extracting(InstanceSettings::hostPolicy)
        .containsExactly("cpu", "gpu_0", "gpu_1", "model", "left");
    assertThat(instances.getLast().secondaryDevices())
        .containsExactly(new InstanceSettings.SecondaryDevice("KIND_NVDLA", 3));
  }

  private static InstanceSettings cpu(String name) {
    return new InstanceSettings(name, Kind.KIND_CPU, 0, List.of(), false);
  }

  private static List<InstanceSettings> resolve(List<Integer> gpus, String text)
      throws TextFormat.ParseException {
    var groups = new InstanceGroups(gpus);
    var config = TextFormat.parse("name: 'm' " + text, ModelConfig.class);
    var normal = groups.normalize(config, kind -> kind == Kind.KIND_CPU ? 2 : 1);
    Rules.apply(groups::check, normal);
    return InstanceGroups.expand(normal);
  }
}
