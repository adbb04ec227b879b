package io.nereid.engine.model.config.text;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import org.jspecify.annotations.Nullable;

/**
 * A message that is being read.
 *
 * @param open its opening bracket; of the configuration itself null
 */
record Scope(
    @Nullable Scope outer,
    Message.Builder message,
    FieldPositions positions,
    FieldPath path,
    @Nullable Token open) {
  Descriptor type() {
    return message.getDescriptorForType();
  }

  boolean has(String field) {
    return type().findFieldByName(field) != null;
  }

  /** The message as problems name it. */
  String shown() {
    return path.segments().isEmpty() ? "the configuration" : "'" + path + "'";
  }
}
