package io.nereid.engine.model.config;

import static java.util.stream.Collectors.joining;

import io.nereid.config.InstanceSettings;
import io.nereid.config.InstanceSettings.SecondaryDevice;
import io.nereid.config.RateLimiterSettings;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.validation.ConfigProblems;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInstanceGroup;
import io.nereid.protocol.config.ModelInstanceGroup.Kind;
import io.nereid.protocol.config.ModelRateLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;

/**
 * The {@code instance_group} setting: resolves names, kinds, counts and devices, then instances.
 *
 * @param gpus the ids of the GPUs that it can use
 */
record InstanceGroups(List<Integer> gpus) {
  private static final Pattern PROFILE = Pattern.compile("[0-9]+");

  InstanceGroups {
    gpus = List.copyOf(gpus);
  }

  /**
   * Resolves the instance groups of a configuration; adds one if there is none.
   *
   * @param defaultCount the backend's count for a group without one
   */
  ModelConfig normalize(ModelConfig config, ToIntFunction<InstanceSettings.Kind> defaultCount) {
    var normal = config.toBuilder();
    if (config.getInstanceGroupCount() == 0) {
      normal.addInstanceGroupBuilder().setName(config.getName());
    }
    for (int i = 0; i < normal.getInstanceGroupCount(); i++) {
      normalize(normal.getInstanceGroupBuilder(i), config.getName() + "_" + i, defaultCount);
    }
    return normal.build();
  }

  private void normalize(
      ModelInstanceGroup.Builder group,
      String name,
      ToIntFunction<InstanceSettings.Kind> defaultCount) {
    if (group.getName().isEmpty()) {
      group.setName(name);
    }
    if (group.getKind() == Kind.KIND_AUTO) {
      boolean onGpu = !gpus.isEmpty() && gpus.containsAll(group.getGpusList());
      group.setKind(onGpu ? Kind.KIND_GPU : Kind.KIND_CPU);
    }
    if (group.getKind() == Kind.KIND_GPU && group.getGpusCount() == 0) {
      group.addAllGpus(gpus);
    }
    if (group.getCount() < 1 && group.getKind() != Kind.UNRECOGNIZED) {
      group.setCount(Math.max(1, defaultCount.applyAsInt(kind(group.getKind()))));
    }
  }

  /** Validates groups that {@link #normalize} has resolved. */
  void check(ModelConfig config, ConfigProblems problems) {
    for (int i = 0; i < config.getInstanceGroupCount(); i++) {
      ModelInstanceGroup group = config.getInstanceGroup(i);
      FieldPath path = FieldPath.of("instance_group", i);
      String subject = "instance group %s of model %s".formatted(group.getName(), config.getName());
      switch (group.getKind()) {
        case KIND_CPU, KIND_MODEL ->
            problems.require(
                group.getGpusCount() == 0,
                path.field("gpus"),
                "%s has kind %s but specifies one or more GPUs"
                    .formatted(subject, group.getKind()));
        case KIND_GPU -> checkGpus(group, path, subject, problems);
        case KIND_AUTO, UNRECOGNIZED ->
            problems.require(
                false, path.field("kind"), "%s has an unknown kind".formatted(subject));
      }
      checkProfiles(group, path, subject, config.getPlatform(), problems);
    }
  }

  private void checkGpus(
      ModelInstanceGroup group, FieldPath path, String subject, ConfigProblems problems) {
    if (!problems.require(
        !gpus.isEmpty() || group.getGpusCount() > 0,
        path.field("kind"),
        "%s has kind KIND_GPU but server does not support GPUs".formatted(subject))) {
      return;
    }
    for (int i = 0; i < group.getGpusCount(); i++) {
      problems.require(
          gpus.contains(group.getGpus(i)),
          path.element("gpus", i),
          ("%s specifies invalid or unsupported gpu id %d. GPUs with at least the minimum required"
                  + " CUDA compute compatibility are: %s")
              .formatted(
                  subject,
                  group.getGpus(i),
                  gpus.stream().map(String::valueOf).collect(joining(", "))));
    }
  }

  private static void checkProfiles(
      ModelInstanceGroup group,
      FieldPath path,
      String subject,
      String platform,
      ConfigProblems problems) {
    for (int i = 0; i < group.getProfileCount(); i++) {
      boolean supported =
          problems.require(
              platform.equals("tensorrt_plan"),
              path.field("profile"),
              "%s specifies profile field which is only supported for TensorRT models"
                  .formatted(subject));
      problems.require(
          !supported || PROFILE.matcher(group.getProfile(i)).matches(),
          path.element("profile", i),
          ("%s specifies invalid profile %s. The field should contain the string representation of"
                  + " a non-negative integer")
              .formatted(subject, group.getProfile(i)));
    }
  }

  /** The instances of validated groups, in the order in which they open. */
  static List<InstanceSettings> expand(ModelConfig config) {
    var instances = new ArrayList<InstanceSettings>();
    for (ModelInstanceGroup group : config.getInstanceGroupList()) {
      List<Integer> devices = group.getKind() == Kind.KIND_GPU ? group.getGpusList() : List.of(0);
      for (int device : devices) {
        for (int i = 0; i < group.getCount(); i++) {
          instances.add(
              new InstanceSettings(
                  group.getName() + "_" + i,
                  kind(group.getKind()),
                  device,
                  group.getProfileList(),
                  group.getPassive(),
                  rateLimiter(group.getRateLimiter()),
                  hostPolicy(group, device),
                  secondaryDevices(group)));
        }
      }
    }
    return instances;
  }

  private static String hostPolicy(ModelInstanceGroup group, int device) {
    return group.getHostPolicy().isEmpty()
        ? InstanceSettings.defaultHostPolicy(kind(group.getKind()), device)
        : group.getHostPolicy();
  }

  private static List<SecondaryDevice> secondaryDevices(ModelInstanceGroup group) {
    return group.getSecondaryDevicesList().stream()
        .map(device -> new SecondaryDevice(device.getKind().name(), device.getDeviceId()))
        .toList();
  }

  private static RateLimiterSettings rateLimiter(ModelRateLimiter message) {
    return new RateLimiterSettings(
        message.getResourcesList().stream()
            .map(resource ->
                new RateLimiterSettings.Resource(
                    resource.getName(),
                    resource.getGlobal(),
                    Integer.toUnsignedLong(resource.getCount())))
            .toList(),
        Integer.toUnsignedLong(message.getPriority()));
  }

  private static InstanceSettings.Kind kind(Kind kind) {
    return InstanceSettings.Kind.valueOf(kind.name());
  }
}
