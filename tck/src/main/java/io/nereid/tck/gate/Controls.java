package io.nereid.tck.gate;

import io.nereid.config.SequenceSettings;
import io.nereid.spi.Batch;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/**
 * The control inputs of one row of a batch of a sequence model.
 *
 * @param values {@code true}, {@code false} or the correlation id as text, by kind; only the kinds
 *     that the model declares
 */
public record Controls(Map<SequenceSettings.Control.Kind, String> values) {
  public Controls {
    values = Map.copyOf(values);
  }

  /**
   * Reads the controls that {@code settings} declare, as a model does: through its inputs.
   *
   * @throws IllegalStateException if one is missing, or has neither of its two values
   */
  static Controls read(SequenceSettings settings, Batch batch, int index) {
    Map<SequenceSettings.Control.Kind, String> values =
        new EnumMap<>(SequenceSettings.Control.Kind.class);
    for (SequenceSettings.Control control : settings.controls()) {
      Tensor input =
          batch
              .input(index, control.inputName())
              .orElseThrow(
                  () -> new IllegalStateException("control '%s' is missing".formatted(control)));
      values.put(control.kind(), read(control, input));
    }
    return new Controls(values);
  }

  /** Whether the sequence starts here; false if the model does not declare it. */
  public boolean start() {
    return is(SequenceSettings.Control.Kind.CONTROL_SEQUENCE_START);
  }

  /** Whether the sequence ends here; false if the model does not declare it. */
  public boolean end() {
    return is(SequenceSettings.Control.Kind.CONTROL_SEQUENCE_END);
  }

  /** Whether this row is a request; false if the model does not declare it. */
  public boolean ready() {
    return is(SequenceSettings.Control.Kind.CONTROL_SEQUENCE_READY);
  }

  /** The sequence's id as text; empty if the model does not declare it. */
  public String correlationId() {
    return values.getOrDefault(SequenceSettings.Control.Kind.CONTROL_SEQUENCE_CORRID, "");
  }

  private boolean is(SequenceSettings.Control.Kind kind) {
    return values.getOrDefault(kind, "false").equals("true");
  }

  private static String read(SequenceSettings.Control control, Tensor input) {
    if (control.kind() == SequenceSettings.Control.Kind.CONTROL_SEQUENCE_CORRID) {
      return id(input);
    }
    double value = number(input.dataType(), input.data());
    if (value != control.trueValue() && value != control.falseValue()) {
      throw new IllegalStateException("control %s has the value %s".formatted(control, value));
    }
    return Boolean.toString(value == control.trueValue());
  }

  private static double number(DataType type, MemorySegment data) {
    return switch (type) {
      case BOOL -> data.get(Elements.BYTE, 0);
      case INT32 -> data.get(Elements.INT, 0);
      case FP32 -> data.get(Elements.FLOAT, 0);
      case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT64, FP16, BF16, FP64, BYTES ->
          throw new IllegalStateException("a control of type " + type);
    };
  }

  private static String id(Tensor input) {
    MemorySegment data = input.data();
    return switch (input.dataType()) {
      case UINT64 -> Long.toUnsignedString(data.get(Elements.LONG, 0));
      case INT64 -> Long.toString(data.get(Elements.LONG, 0));
      case UINT32 -> Integer.toUnsignedString(data.get(Elements.INT, 0));
      case INT32 -> Integer.toString(data.get(Elements.INT, 0));
      case BYTES -> text(data);
      case BOOL, UINT8, UINT16, INT8, INT16, FP16, BF16, FP32, FP64 ->
          throw new IllegalStateException("a correlation id of type " + input.dataType());
    };
  }

  private static String text(MemorySegment data) {
    long length = BytesElements.lengthAt(data, 0);
    byte[] bytes = data.asSlice(BytesElements.PREFIX, length).toArray(Elements.BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
