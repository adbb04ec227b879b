package io.nereid.engine.model.config.text;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.nereid.protocol.config.ModelConfig;
import java.util.ArrayList;
import java.util.List;

/** What the schema of configurations says about names, for the texts of problems. */
final class Schema {
  private static final int MAX_PLACES = 3;

  private Schema() {}

  /**
   * The messages with a field of that name, as paths without indices. Empty if there are too many
   * to be of help, or none; those that contain the path come alone.
   */
  static List<String> messagesWith(FieldPath path, String name) {
    var places = new ArrayList<String>();
    collect(ModelConfig.getDescriptor(), "", name, places);
    String here = path.toString().replaceAll("\\[[^]]*]", "");
    List<String> around =
        places.stream().filter(place -> place.isEmpty() || here.startsWith(place + ".")).toList();
    List<String> chosen = around.isEmpty() ? places : around;
    return chosen.size() > MAX_PLACES
        ? List.of()
        : chosen.stream()
            .map(place -> place.isEmpty() ? "the configuration itself" : "'" + place + "'")
            .toList();
  }

  private static void collect(Descriptor type, String path, String name, List<String> places) {
    if (type.findFieldByName(name) != null && !type.getOptions().getMapEntry()) {
      places.add(path);
    }
    for (FieldDescriptor field : type.getFields()) {
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        String inner = path.isEmpty() ? field.getName() : path + "." + field.getName();
        collect(field.getMessageType(), inner, name, places);
      }
    }
  }

  /** A value that stands for an element of a list of scalars. */
  static Object defaultOf(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT -> 0;
      case LONG -> 0L;
      case FLOAT -> 0f;
      case DOUBLE -> 0d;
      case BOOLEAN -> false;
      case STRING -> "";
      case ENUM -> field.getEnumType().getValues().getFirst();
      case BYTE_STRING, MESSAGE -> throw new AssertionError("no list of scalars: " + field);
    };
  }

  /** How a value of a message with a single field is written; empty for other messages. */
  static String example(FieldDescriptor field) {
    List<FieldDescriptor> fields = field.getMessageType().getFields();
    return fields.size() == 1 && fields.getFirst().getType() == FieldDescriptor.Type.STRING
        ? "; write { %s: \"...\" }".formatted(fields.getFirst().getName())
        : "";
  }
}
