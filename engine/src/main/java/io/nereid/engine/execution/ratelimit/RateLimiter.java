package io.nereid.engine.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;
import java.util.OptionalInt;

/**
 * A limiter of the instances, of all models, that run at the same time. Safe for use by any thread.
 * See Triton's "user_guide/rate_limiter.md".
 */
public interface RateLimiter {
  /** Allocates every instance at once; ignores resources and priorities. */
  RateLimiter OFF = (_, onAllocated) -> new UnlimitedPermit(onAllocated);

  /**
   * Adds an instance, which is available.
   *
   * @param onAllocated run each time the instance is allocated, by the thread that caused it; must
   *     not wait. May run once more after {@link InstancePermit#close}
   * @throws InferenceException if the instance needs more than there can ever be; then nothing has
   *     changed
   */
  InstancePermit register(InstanceSettings settings, Runnable onAllocated);

  /**
   * A limit of a resource, as given by the option {@code --rate-limit-resource}.
   *
   * @param count 0 or more
   * @param device the device that has this limit; empty for each device
   */
  record ResourceLimit(String name, long count, OptionalInt device) {}

  /** The permit of an instance that needs none. */
  record UnlimitedPermit(Runnable onAllocated) implements InstancePermit {
    @Override
    public long priority() {
      return 0;
    }

    @Override
    public void stage() {
      onAllocated.run();
    }

    @Override
    public boolean isAllocated() {
      return false; // it never holds anything
    }

    @Override
    public void releaseUnused() {}

    @Override
    public void release(boolean stageAgain) {}

    @Override
    public void close() {}
  }
}
