package io.nereid.engine.model.config.text;

import java.util.ArrayList;
import java.util.List;

/**
 * The way from a configuration to one of its fields, such as {@code input[1].dims[0]}. The fields
 * on the way need not be set.
 *
 * @param segments a field's name each, with the index of an element or the key of an entry
 */
public record FieldPath(List<String> segments) {
  /** The configuration itself. */
  public static final FieldPath ROOT = new FieldPath(List.of());

  public FieldPath {
    segments = List.copyOf(segments);
  }

  public static FieldPath of(String field) {
    return ROOT.field(field);
  }

  public static FieldPath of(String field, int index) {
    return ROOT.element(field, index);
  }

  /** A field of the message that this path leads to. */
  public FieldPath field(String name) {
    return append(name);
  }

  /** An element of a repeated field. */
  public FieldPath element(String name, int index) {
    return append(name + "[" + index + "]");
  }

  /** An entry of a map. */
  public FieldPath entry(String name, Object key) {
    return append(key instanceof String ? name + "[\"" + key + "\"]" : name + "[" + key + "]");
  }

  private FieldPath append(String segment) {
    var longer = new ArrayList<>(segments);
    longer.add(segment);
    return new FieldPath(longer);
  }

  /** Whether this path leads to the same field as another, or to a field within it. */
  public boolean startsWith(FieldPath other) {
    int length = other.segments.size();
    return segments.size() >= length && segments.subList(0, length).equals(other.segments);
  }

  @Override
  public String toString() {
    return String.join(".", segments);
  }
}
