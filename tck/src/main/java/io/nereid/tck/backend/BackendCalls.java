package io.nereid.tck.backend;

import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.support.CallSettings;
import io.nereid.tck.support.OpenModel;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;

/** How verifications call a backend, and what an implementer may say of that. */
@ExtendWith(RuleWatch.class)
public interface BackendCalls {
  /**
   * How long one call may take. A longer one is a failure that names the method; after a second one
   * nothing more is verified.
   */
  default Duration maxCall() {
    return CallSettings.DEFAULT.maxCall();
  }

  /**
   * Whether the backend can be opened only once in a process. All verifications use one backend
   * then, which is not closed.
   */
  default boolean opensOnce() {
    return CallSettings.DEFAULT.opensOnce();
  }

  /** What stands for the models that the model calls, by name; none by default. */
  default Map<String, StandInModel> calledModels() {
    return Map.of();
  }

  /** Opens a model with one instance, under these terms. */
  static OpenModel open(BackendCalls calls, BackendUnderTest tested) {
    return OpenModel.of(tested, settings(calls));
  }

  /** These terms. */
  static CallSettings settings(BackendCalls calls) {
    return new CallSettings(calls.maxCall(), calls.opensOnce(), calls.calledModels());
  }
}
