package io.nereid.tck.backend;

import io.nereid.tck.BackendUnderTest;

/** What an implementer of {@link BackendVerification}s provides. */
public interface BackendFactory {
  /** The backend and model to test; called by each test. */
  BackendUnderTest backend();
}
