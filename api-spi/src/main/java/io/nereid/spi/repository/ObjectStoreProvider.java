package io.nereid.spi.repository;

import io.nereid.error.InferenceException;
import java.util.Map;
import java.util.Set;

/**
 * A factory for the object stores of some URI schemes, found by {@link java.util.ServiceLoader}. It
 * needs a public constructor without parameters, which must be cheap.
 */
public interface ObjectStoreProvider {
  /** The schemes of the locations that it opens, in lower case, such as {@code s3}. */
  Set<String> schemes();

  /**
   * Opens the store of one repository. Makes no request, and looks for no credentials yet.
   *
   * @param location as the operator wrote it, such as {@code s3://bucket/models}
   * @param environment the environment variables of the process
   * @throws InferenceException INVALID_ARGUMENT if the location or the settings are not valid
   */
  ObjectStore open(String location, Map<String, String> environment);
}
