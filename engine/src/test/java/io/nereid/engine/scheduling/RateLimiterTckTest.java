package io.nereid.engine.scheduling;

import io.nereid.engine.execution.ratelimit.ExecutionCountLimiter;
import io.nereid.engine.execution.ratelimit.RateLimiter.ResourceLimit;
import io.nereid.engine.model.loading.LoaderUnderTest;
import io.nereid.tck.scheduler.RateLimiterVerification;
import io.nereid.tck.scheduler.SchedulerUnderTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.io.TempDir;

/** Runs the TCK's rules for rate limiters against the server's. */
class RateLimiterTckTest extends RateLimiterVerification {
  @TempDir private Path repository;

  @Override
  public SchedulerUnderTest openScheduler(Map<String, Integer> resources) {
    List<ResourceLimit> limits = new ArrayList<>();
    resources.forEach(
        (name, count) -> limits.add(new ResourceLimit(name, count, OptionalInt.empty())));
    return new LoaderUnderTest(repository, new ExecutionCountLimiter(limits));
  }
}
