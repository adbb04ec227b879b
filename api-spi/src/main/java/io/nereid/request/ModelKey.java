package io.nereid.request;

/**
 * The name of a model and one of its versions.
 *
 * @param version at least 0
 */
public record ModelKey(String name, long version) {
  /** {@code name:version}, for logs. */
  @Override
  public String toString() {
    return name + ":" + version;
  }
}
