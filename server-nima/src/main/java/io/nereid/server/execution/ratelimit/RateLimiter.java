package io.nereid.server.execution.ratelimit;

import io.nereid.config.InstanceSettings;
import io.nereid.error.InferenceException;

/** Decides which instances of all models run, where they share resources. From any thread. */
public interface RateLimiter {
  /** It is everybody's turn, always; resources and priorities are ignored. */
  RateLimiter OFF = (_, onGrant) -> new UnlimitedPermit(onGrant);

  /**
   * There is another instance, which rests.
   *
   * @param onGrant told each time when it is the instance's turn, by whoever made it so; must not
   *     wait. May come once more after {@link InstancePermit#close}
   * @throws InferenceException if it asks for what there can never be; then nothing has changed
   */
  InstancePermit register(InstanceSettings settings, Runnable onGrant);
}
