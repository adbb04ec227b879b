package io.nereid.server.model;

import java.util.Comparator;

/**
 * A model of a server.
 *
 * @param namespace the location of its repository; empty unless models are kept apart by namespaces
 */
public record ModelId(String namespace, String name) implements Comparable<ModelId> {
  private static final Comparator<ModelId> ORDER =
      Comparator.comparing(ModelId::name).thenComparing(ModelId::namespace);

  @Override
  public int compareTo(ModelId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
