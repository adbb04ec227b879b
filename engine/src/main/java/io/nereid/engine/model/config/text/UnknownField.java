package io.nereid.engine.model.config.text;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.List;
import java.util.Optional;

/**
 * A field that a message does not have.
 *
 * @param shown its name, shortened
 * @param message what is known of it: the field that was meant, or where one of that name is
 * @param meant the field of the message that was meant, if that is clear
 */
record UnknownField(String shown, String message, Optional<String> meant) {
  private static final int MAX_SHOWN = 60;
  private static final int MAX_LISTED = 4;

  static UnknownField of(Scope scope, String name) {
    String shown = name.length() > MAX_SHOWN ? name.substring(0, MAX_SHOWN) + "..." : name;
    String message = "unknown field '%s'".formatted(shown);
    Descriptor type = scope.type();
    List<String> fields = type.getFields().stream().map(FieldDescriptor::getName).toList();
    Optional<String> near = Names.nearest(name, fields);
    List<String> elsewhere = Schema.messagesWith(scope.path(), name);
    if (!elsewhere.isEmpty() && near.filter(each -> Names.isSame(each, name)).isEmpty()) {
      String places = String.join(", ", elsewhere);
      return new UnknownField(
          shown,
          message + " in %s; it is a field of %s".formatted(scope.shown(), places),
          Optional.empty());
    }
    if (near.isPresent()) {
      message += "; did you mean '%s'?".formatted(near.get());
    } else if (type.getOptions().getMapEntry()) {
      message +=
          " in %s; an entry of a map is written { key: ... value: ... }".formatted(scope.shown());
    } else if (fields.size() <= MAX_LISTED) {
      message += " in %s; its fields are %s".formatted(scope.shown(), String.join(", ", fields));
    } else {
      message += " in " + scope.shown();
    }
    return new UnknownField(shown, message, near);
  }
}
