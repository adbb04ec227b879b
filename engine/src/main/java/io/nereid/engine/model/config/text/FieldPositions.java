package io.nereid.engine.model.config.text;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** The offsets of a field and of the fields within it. Built by one thread, then read by any. */
final class FieldPositions {
  private final int offset;
  private Map<String, FieldPositions> fields = Map.of();

  /** The offsets of the elements of a list of scalars, which have no fields. */
  private final List<Integer> elements = new ArrayList<>(0);

  FieldPositions(int offset) {
    this.offset = offset;
  }

  void put(String segment, FieldPositions field) {
    if (fields.isEmpty()) {
      fields = new HashMap<>();
    }
    fields.put(segment, field);
  }

  void addElement(int elementOffset) {
    elements.add(elementOffset);
  }

  @Nullable FieldPositions get(String segment) {
    return fields.get(segment);
  }

  /** The offset of a field or, if it is not set, of the innermost field around it that is. */
  Optional<Integer> find(FieldPath path) {
    Optional<Integer> known = Optional.empty();
    FieldPositions found = this;
    for (String segment : path.segments()) {
      FieldPositions next = found.fields.get(segment);
      if (next == null) {
        Optional<Integer> outer = known;
        return found.element(segment).or(() -> outer);
      }
      found = next;
      known = Optional.of(found.offset);
    }
    return known;
  }

  /** Shows each field within this one, by its path, with its offset. */
  void forEach(ObjIntConsumer<String> reader) {
    fields.forEach((segment, field) -> {
      reader.accept(segment, field.offset);
      field.forEach((path, at) -> reader.accept(segment + "." + path, at));
    });
  }

  /** The offset of an element of a list of scalars, or of the list. */
  private Optional<Integer> element(String segment) {
    int bracket = segment.indexOf('[');
    FieldPositions list = bracket < 0 ? null : fields.get(segment.substring(0, bracket));
    if (list == null) {
      return Optional.empty();
    }
    String index = segment.substring(bracket + 1, segment.length() - 1);
    int number = index.matches("\\d{1,9}") ? Integer.parseInt(index) : Integer.MAX_VALUE;
    return Optional.of(number < list.elements.size() ? list.elements.get(number) : list.offset);
  }
}
