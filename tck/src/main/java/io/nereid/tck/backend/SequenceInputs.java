package io.nereid.tck.backend;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.InitialState;
import io.nereid.config.SequenceSettings.State;
import io.nereid.request.Parameter;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tck.support.Samples;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The inputs that a server adds to each request of a sequence model: controls and states.
 *
 * @param modelDirectory where {@code initial_state} lies
 */
record SequenceInputs(ModelConfig config, Path modelDirectory) {
  /** The controls of a row. */
  List<Tensor> controls(long id, boolean start, boolean end, boolean ready) {
    List<Tensor> controls = new ArrayList<>();
    for (Control control : settings(config)) {
      controls.add(
          switch (control.kind()) {
            case CONTROL_SEQUENCE_START -> tensor(control, value(control, start));
            case CONTROL_SEQUENCE_END -> tensor(control, value(control, end));
            case CONTROL_SEQUENCE_READY -> tensor(control, value(control, ready));
            case CONTROL_SEQUENCE_CORRID -> ofId(control, id);
          });
    }
    return controls;
  }

  /** The options of a request, which say the same as its controls. */
  RequestOptions options(long id, boolean start, boolean end, Map<String, Parameter> parameters) {
    boolean text = correlation(config).filter(type -> type == DataType.BYTES).isPresent();
    var sequenceId = text ? SequenceId.of(Long.toUnsignedString(id)) : new SequenceId.OfNumber(id);
    return new RequestOptions(sequenceId, start, end, 0, 0, parameters);
  }

  /** The type of the control that has the correlation id. */
  static Optional<DataType> correlation(ModelConfig config) {
    return settings(config).stream()
        .filter(control -> control.kind() == Control.Kind.CONTROL_SEQUENCE_CORRID)
        .map(Control::dataType)
        .findFirst();
  }

  private static List<Control> settings(ModelConfig config) {
    return config.sequence().map(sequence -> sequence.controls()).orElse(List.of());
  }

  private static double value(Control control, boolean which) {
    return which ? control.trueValue() : control.falseValue();
  }

  private Tensor ofId(Control control, long id) {
    DataType type = control.dataType();
    if (type == DataType.BYTES) {
      byte[] text = Samples.strings(Long.toUnsignedString(id));
      return tensor(control, MemorySegment.ofArray(text));
    }
    var data = MemorySegment.ofArray(new byte[Long.BYTES]);
    data.set(Elements.LONG, 0, id);
    return tensor(control, data.asSlice(0, type.byteSize()));
  }

  private Tensor tensor(Control control, MemorySegment data) {
    Shape shape = config.batches() ? Shape.of(1, 1) : Shape.of(1);
    return new Tensor(control.inputName(), control.dataType(), shape, data);
  }

  private Tensor tensor(Control control, double value) {
    DataType type = control.dataType();
    var data = MemorySegment.ofArray(new byte[type.byteSize()]);
    switch (type) {
      case FP32 -> data.set(Elements.FLOAT, 0, (float) value);
      case FP64 -> data.set(Elements.DOUBLE, 0, value);
      case BOOL, UINT8, INT8 -> data.set(Elements.BYTE, 0, (byte) value);
      case UINT16, INT16 -> data.set(Elements.SHORT, 0, (short) value);
      case UINT32, INT32 -> data.set(Elements.INT, 0, (int) value);
      case UINT64, INT64 -> data.set(Elements.LONG, 0, (long) value);
      case FP16, BF16, BYTES -> throw new IllegalArgumentException("a control of type " + type);
    }
    return tensor(control, data);
  }

  /** The states at the start of a sequence, by input name. */
  Map<String, Tensor> initialStates() {
    Map<String, Tensor> states = new HashMap<>();
    for (State state : states(config)) {
      states.put(state.inputName(), initial(state));
    }
    return states;
  }

  /** The states after a request, by input name: those that it has written, else the old ones. */
  Map<String, Tensor> next(Map<String, Tensor> before, Map<String, Tensor> written) {
    Map<String, Tensor> next = new HashMap<>(before);
    for (State state : states(config)) {
      Tensor output = written.get(state.outputName());
      if (output != null) {
        next.put(state.inputName(), output.named(state.inputName()));
      }
    }
    return next;
  }

  private static List<State> states(ModelConfig config) {
    return config.sequence().map(sequence -> sequence.states()).orElse(List.of());
  }

  private Tensor initial(State state) {
    Shape declared = state.initial().map(InitialState::dims).orElse(state.dims());
    long[] dims = declared.dims();
    for (int i = 0; i < dims.length; i++) {
      dims[i] = Math.max(1, dims[i]);
    }
    Shape shape = config.batches() ? Shape.of(dims).withLeading(1) : Shape.of(dims);
    int width = state.dataType() == DataType.BYTES ? Integer.BYTES : state.dataType().byteSize();
    byte[] data = new byte[Math.toIntExact(shape.elementCount() * width)];
    Optional<String> file = state.initial().flatMap(InitialState::dataFile);
    if (file.isPresent()) {
      try {
        data = Files.readAllBytes(modelDirectory.resolve("initial_state").resolve(file.get()));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return new Tensor(state.inputName(), state.dataType(), shape, MemorySegment.ofArray(data));
  }
}
