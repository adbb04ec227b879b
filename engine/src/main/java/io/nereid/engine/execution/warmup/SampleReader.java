package io.nereid.engine.execution.warmup;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control;
import io.nereid.config.SequenceSettings.State;
import io.nereid.config.TensorConfig;
import io.nereid.engine.request.RequestErrors;
import io.nereid.engine.request.validation.RequestValidator;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.protocol.config.ModelWarmup;
import io.nereid.request.InferenceRequest;
import io.nereid.request.RequestOptions;
import io.nereid.request.SequenceId;
import io.nereid.tensor.BytesElements;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes samples of their configuration. As in Triton, a sample's inputs of the model are validated
 * like those of a client; its other inputs, such as the controls of a sequence model, are passed to
 * the backend as they are. The texts of errors are those of Triton's core.
 */
final class SampleReader {
  private static final String PREFIX = RequestErrors.prefix("");

  /** A sample of a sequence model is a sequence of one request, unless it has own controls. */
  private static final RequestOptions WHOLE_SEQUENCE =
      new RequestOptions(SequenceId.NONE, true, true, 0, 0, Map.of());

  private final Warmup warmup;
  private final ModelConfig config;
  private final RequestValidator validator;
  private final SampleData data;
  private final SampleFiles files;

  SampleReader(Warmup warmup, SampleData data) {
    this.warmup = warmup;
    this.config = warmup.config();
    this.validator = new RequestValidator(config, /* isBatchSizeCompleted= */ false);
    this.data = data;
    this.files = new SampleFiles(config.name(), warmup.files(), data);
  }

  /**
   * Reads a sample.
   *
   * @throws InferenceException if it is invalid
   */
  WarmupSample read(ModelWarmup sample) {
    sample.getInputsMap().forEach(SampleReader::requireNoWildcard);
    List<Tensor> inputs = new ArrayList<>();
    List<Tensor> others = new ArrayList<>();
    sample
        .getInputsMap()
        .forEach((name, input) ->
            (config.input(name).isPresent() ? inputs : others).add(tensor(sample, name, input)));
    requireKnown(sample, inputs, others);
    validator.validate(request(inputs));
    others.forEach(this::validateOther);

    long size = Integer.toUnsignedLong(sample.getBatchSize());
    long count = Math.max(1, Integer.toUnsignedLong(sample.getCount()));
    if (config.batches() && size > config.maxBatchSize()) {
      throw InferenceException.invalid(
          "%sinference request batch-size must be <= %d for '%s', got %d"
              .formatted(PREFIX, config.maxBatchSize(), config.name(), size));
    }
    inputs.addAll(others);
    return new WarmupSample(
        sample.getName(),
        without(others),
        config.batches() ? count : count * size,
        config.batches() ? (int) size : 1,
        request(inputs),
        states(others));
  }

  /**
   * Refuses a sample that names an input that the model does not have in place of one that it has:
   * the validator would only know of the missing one.
   */
  private void requireKnown(ModelWarmup sample, List<Tensor> inputs, List<Tensor> others) {
    boolean isMissing =
        config.inputs().stream()
            .anyMatch(input -> !input.optional() && !contains(inputs, input.name()));
    if (isMissing) {
      others.stream()
          .map(Tensor::name)
          .filter(name -> declaredType(name).isEmpty())
          .findFirst()
          .ifPresent(name -> {
            throw InferenceException.invalid(
                "warmup sample '%s' names input '%s', which model '%s' does not have"
                    .formatted(sample.getName(), name, config.name()));
          });
    }
  }

  private static void requireNoWildcard(String name, ModelWarmup.Input input) {
    if (input.getDimsList().stream().anyMatch(dim -> dim < 0)) {
      throw InferenceException.invalid(
          "warmup setting expects all variable-size dimensions are specified for input '%s'"
              .formatted(name));
    }
  }

  private InferenceRequest request(List<Tensor> inputs) {
    return new InferenceRequest(
        warmup.model(),
        "",
        inputs,
        validator.outputNames(),
        config.sequence().isPresent() ? WHOLE_SEQUENCE : RequestOptions.NONE);
  }

  private Tensor tensor(ModelWarmup sample, String name, ModelWarmup.Input input) {
    DataType type = dataType(name, input);
    Shape dims = Shape.of(input.getDimsList());
    boolean shapeTensor = config.input(name).map(TensorConfig::shapeTensor).orElse(false);
    Shape shape = config.batches() && !shapeTensor ? dims.withLeading(1) : dims;
    return new Tensor(
        name, type, shape, data(sample, name, input, type, byteSize(name, type, dims)));
  }

  private DataType dataType(String name, ModelWarmup.Input input) {
    return switch (input.getDataType()) {
      case TYPE_STRING -> DataType.BYTES;
      case TYPE_INVALID, UNRECOGNIZED ->
          throw InferenceException.invalid(
              "model warmup input '%s' must specify 'data_type' for %s"
                  .formatted(name, config.name()));
      default -> DataType.valueOf(input.getDataType().name().substring("TYPE_".length()));
    };
  }

  /** The byte size of a row; of BYTES, that of empty elements. */
  private static long byteSize(String name, DataType type, Shape dims) {
    try {
      return Math.multiplyExact(
          dims.elementCount(),
          (long) (type.hasFixedSize() ? type.byteSize() : BytesElements.PREFIX));
    } catch (ArithmeticException tooLarge) {
      throw InferenceException.invalid(
          "byte size for tensor '%s' exceeds maximum size of %d".formatted(name, Long.MAX_VALUE));
    }
  }

  private MemorySegment data(
      ModelWarmup sample, String name, ModelWarmup.Input input, DataType type, long byteSize) {
    try {
      return switch (input.getInputDataTypeCase()) {
        case ZERO_DATA -> data.zeros(byteSize);
        case RANDOM_DATA ->
            type.hasFixedSize() ? data.random(byteSize) : data.zeros(byteSize); // empty strings
        case INPUT_DATA_FILE ->
            type.hasFixedSize()
                ? files.read(name, input.getInputDataFile(), byteSize)
                : files.readAll(name, input.getInputDataFile());
        case INPUTDATATYPE_NOT_SET ->
            throw InferenceException.invalid(
                "%swarmup setting expects input '%s' to have input_data_type set"
                    .formatted(PREFIX, name));
      };
    } catch (InferenceException failed) {
      if (failed.code() != StatusCode.RESOURCE_EXHAUSTED) {
        throw failed;
      }
      throw new InferenceException( // the pool does not know for what it has no memory
          failed.code(),
          "warmup sample '%s': input '%s' of model '%s': %s"
              .formatted(sample.getName(), name, config.name(), failed.getMessage()));
    }
  }

  /** Checks an input that the configuration does not declare: what reads it relies on that. */
  private void validateOther(Tensor input) {
    declaredType(input.name())
        .filter(declared -> declared != input.dataType())
        .ifPresent(declared -> {
          throw InferenceException.invalid(
              "%sinference input '%s' data-type is '%s', but model '%s' expects '%s'"
                  .formatted(PREFIX, input.name(), input.dataType(), config.name(), declared));
        });
    if (input.dataType() == DataType.BYTES) {
      validator.validateElements(input);
    }
  }

  /** The type of a control or state; empty if there is none of that name. */
  private Optional<DataType> declaredType(String name) {
    return config.sequence().stream()
        .flatMap(sequence ->
            Stream.concat(
                sequence.controls().stream()
                    .filter(control -> control.inputName().equals(name))
                    .map(Control::dataType),
                sequence.states().stream()
                    .filter(state -> state.inputName().equals(name))
                    .map(State::dataType)))
        .findFirst();
  }

  /** The configuration without the controls that a sample contains. */
  private ModelConfig without(List<Tensor> given) {
    return config
        .sequence()
        .map(sequence ->
            config.withScheduling(
                new SequenceSettings(
                    sequence.maxSequenceIdleMicros(),
                    sequence.controls().stream()
                        .filter(control -> !contains(given, control.inputName()))
                        .toList(),
                    sequence.strategy(),
                    sequence.states(),
                    sequence.iterative())))
        .orElse(config);
  }

  private static boolean contains(List<Tensor> tensors, String name) {
    return tensors.stream().anyMatch(tensor -> tensor.name().equals(name));
  }

  private Map<String, Tensor> states(List<Tensor> given) {
    List<State> declared = config.sequence().map(SequenceSettings::states).orElse(List.of());
    Map<String, Tensor> states = new HashMap<>();
    for (Tensor tensor : given) {
      if (declared.stream().anyMatch(state -> state.inputName().equals(tensor.name()))) {
        states.put(tensor.name(), tensor);
      }
    }
    return states;
  }
}
