package io.nereid.engine.model;

/**
 * A model of a server.
 *
 * @param namespace the location of its repository; empty unless models are kept apart by namespaces
 */
public record ModelId(String namespace, String name) implements Comparable<ModelId> {
  @Override
  public int compareTo(ModelId other) {
    int byName = name.compareTo(other.name);
    return byName == 0 ? namespace.compareTo(other.namespace) : byName;
  }

  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
