package io.nereid.engine.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.config.RateLimiterSettings;
import io.nereid.config.RateLimiterSettings.Resource;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import java.util.List;
import java.util.OptionalInt;

/** Short factories of instances, resources and limits. */
final class Samples {
  private Samples() {}

  static InstanceSettings on(int device, Resource... resources) {
    return instance(device, 1, resources);
  }

  static InstanceSettings instance(int device, long priority, Resource... resources) {
    return new InstanceSettings(
        "i",
        InstanceSettings.Kind.KIND_GPU,
        device,
        List.of(),
        false,
        new RateLimiterSettings(List.of(resources), priority));
  }

  static Resource local(String name, long count) {
    return new Resource(name, false, count);
  }

  static Resource global(String name, long count) {
    return new Resource(name, true, count);
  }

  static ResourceLimit limit(String name, long count) {
    return new ResourceLimit(name, count, OptionalInt.empty());
  }

  static ResourceLimit limit(String name, long count, int device) {
    return new ResourceLimit(name, count, OptionalInt.of(device));
  }
}
