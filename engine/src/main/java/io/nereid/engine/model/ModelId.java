package io.nereid.engine.model;

import org.jspecify.annotations.Nullable;

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

  // A record's own methods are made of method handles when they are first called, which is early in
  // a start and takes milliseconds of it.

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ModelId id && name.equals(id.name) && namespace.equals(id.namespace);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + namespace.hashCode();
  }

  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
