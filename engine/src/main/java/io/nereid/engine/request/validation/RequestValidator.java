package io.nereid.engine.request.validation;

import static io.nereid.engine.request.RequestErrors.prefix;
import static java.util.stream.Collectors.joining;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.config.SequenceSettings.Control.Kind;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.request.InferenceRequest;
import io.nereid.request.SequenceId;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The check of a request against its model's configuration, before it is queued. The checks, their
 * order and their texts are those of Triton's core ({@code infer_request.cc}). Of two wrong inputs
 * the one that the request names last is reported, as Triton does. Pure; one validator per model.
 */
public final class RequestValidator {
  private final ModelConfig config;
  private final List<String> outputNames;
  private final long required;
  private final boolean hasStrings;
  private final Optional<SequenceSettings.Control> sequenceControl;

  /** Why the maximum batch size is what it is, if that may surprise. */
  private final String batchSizeReason;

  /**
   * @param isBatchSizeCompleted whether the maximum batch size is the backend's default
   */
  public RequestValidator(ModelConfig config, boolean isBatchSizeCompleted) {
    this.config = config;
    this.batchSizeReason =
        isBatchSizeCompleted
            ? "; its configuration states no max_batch_size, and %d is the default: state another"
                    .formatted(config.maxBatchSize())
                + " in config.pbtxt"
            : "";
    this.outputNames = config.outputs().stream().map(TensorConfig::name).toList();
    this.required = config.inputs().stream().filter(input -> !input.optional()).count();
    this.hasStrings =
        config.inputs().stream().anyMatch(input -> input.dataType() == DataType.BYTES);
    this.sequenceControl =
        config.sequence().map(SequenceSettings::controls).orElse(List.of()).stream()
            .filter(control -> control.kind() == Kind.CONTROL_SEQUENCE_CORRID)
            .findFirst();
  }

  /** The names of all outputs, for a request that names none. */
  public List<String> outputNames() {
    return outputNames;
  }

  /** Whether an input is of strings. */
  public boolean hasStrings() {
    return hasStrings;
  }

  /**
   * Checks a request. The correlation id {@link SequenceId#NONE} is valid here; schedulers that
   * need an id check for one.
   *
   * @throws InferenceException INVALID_ARGUMENT, with the first error
   */
  public void validate(InferenceRequest request) {
    for (String output : request.outputs()) {
      if (!outputNames.contains(output)) {
        throw invalid(
            "unexpected inference output '%s' for model '%s'; it has [%s]",
            output, config.name(), quoted(outputNames));
      }
    }
    String id = request.id();
    List<Tensor> inputs = request.inputs();
    checkInputSet(id, request);
    checkBatchSize(id, inputs);
    for (int i = inputs.size() - 1; i >= 0; i--) {
      Tensor input = inputs.get(i);
      config.input(input.name()).ifPresent(declared -> checkInput(id, declared, input));
    }
    sequenceControl.ifPresent(
        control -> checkSequenceId(id, control, request.options().sequenceId()));
  }

  /**
   * Checks that BYTES data has as many elements as its shape says.
   *
   * @throws InferenceException INVALID_ARGUMENT
   */
  public void validateElements(Tensor input) {
    BytesCheck.check(prefix(""), config.name(), input);
  }

  private void checkInputSet(String id, InferenceRequest request) {
    List<Tensor> inputs = request.inputs();
    int count = inputs.size();
    int declared = config.inputs().size();
    List<String> missing = new ArrayList<>(0);
    for (TensorConfig input : config.inputs()) {
      if (!input.optional() && request.input(input.name()).isEmpty()) {
        missing.add(input.name());
      }
    }
    if (count > declared || count < required) {
      String expected =
          required == declared
              ? "expected %d inputs but got %d inputs".formatted(declared, count)
              : "expected number of inputs between %d and %d but got %d inputs"
                  .formatted(required, declared, count);
      throw wrongInputs(id, expected, inputs, missing);
    }
    for (int i = count - 1; i >= 0; i--) {
      String name = inputs.get(i).name();
      if (config.input(name).isEmpty()) {
        throw invalid(
            "unexpected inference input '%s' for model '%s'; it has [%s]",
            name, config.name(), quoted(config.inputs().stream().map(TensorConfig::name).toList()));
      }
    }
    if (!missing.isEmpty()) { // an optional input makes up the count
      throw wrongInputs(
          id, "expected all required inputs but got %d inputs".formatted(count), inputs, missing);
    }
  }

  private InferenceException wrongInputs(
      String id, String expected, List<Tensor> inputs, List<String> missing) {
    return invalid(
        "%s%s for model '%s'. Got input(s) [%s], but missing required input(s) [%s]."
            + " Please provide all required input(s).",
        prefix(id),
        expected,
        config.name(),
        quoted(inputs.reversed().stream().map(Tensor::name).toList()),
        quoted(missing));
  }

  private static String quoted(List<String> names) {
    return names.stream().map(name -> "'" + name + "'").collect(joining(","));
  }

  private void checkBatchSize(String id, List<Tensor> inputs) {
    if (!config.batches()) {
      return;
    }
    long rows = -1;
    for (int i = inputs.size() - 1; i >= 0; i--) {
      Tensor input = inputs.get(i);
      if (config.input(input.name()).map(TensorConfig::shapeTensor).orElse(false)) {
        continue;
      }
      Shape shape = input.shape();
      if (shape.rank() == 0) {
        throw invalid(
            "%sinput '%s' has no shape but model requires batch dimension for '%s'",
            prefix(id), input.name(), config.name());
      }
      if (rows >= 0 && rows != shape.dim(0)) {
        throw invalid(
            "%sinput '%s' batch size does not match other inputs for '%s': %d rows, others have %d",
            prefix(id), input.name(), config.name(), shape.dim(0), rows);
      }
      rows = shape.dim(0);
    }
    if (rows > config.maxBatchSize()) {
      throw invalid(
          "%sinference request batch-size must be <= %d for '%s', got %d%s",
          prefix(id), config.maxBatchSize(), config.name(), rows, batchSizeReason);
    }
  }

  private void checkInput(String id, TensorConfig declared, Tensor input) {
    if (input.dataType() != declared.dataType()) {
      throw invalid(
          "%sinference input '%s' data-type is '%s', but model '%s' expects '%s'",
          prefix(id), input.name(), input.dataType(), config.name(), declared.dataType());
    }
    checkShape(id, declared, input);
    long expected = byteSize(id, input);
    if (input.dataType() == DataType.BYTES) {
      BytesCheck.check(prefix(id), config.name(), input);
      return;
    }
    if (input.byteSize() != expected) {
      throw invalid(
          "%sinput byte size mismatch for input '%s' for model '%s'. Expected %d, got %d",
          prefix(id), input.name(), config.name(), expected, input.byteSize());
    }
  }

  private void checkShape(String id, TensorConfig declared, Tensor input) {
    Shape shape = input.shape();
    if (!shape.isConcrete()) {
      throw invalid(
          "%sAll input dimensions should be specified for input '%s' for model '%s', got %s",
          prefix(id), input.name(), config.name(), shape);
    }
    Shape expected = declared.clientSpec(config.maxBatchSize()).shape();
    if (!expected.accepts(shape)) {
      String note =
          config.batches()
              ? "NOTE: Setting a non-zero max_batch_size in the model config requires a batch"
                  + " dimension to be prepended to each input shape. If you want to specify the"
                  + " full shape including the batch dim in your input dims config, try setting"
                  + " max_batch_size to zero. See the model configuration docs for more info on"
                  + " max_batch_size."
              : expected.isConcrete() && isOfRows(shape, expected)
                  ? "NOTE: max_batch_size in the model config is 0, so the input has no dimension of"
                      + " rows. If you want to send several rows, try setting max_batch_size to the"
                      + " most of them."
                  : "";
      throw invalid(
          "%sunexpected shape for input '%s' for model '%s'. Expected %s, got %s. %s",
          prefix(id), input.name(), config.name(), expected, shape, note);
    }
  }

  private static boolean isOfRows(Shape shape, Shape expected) {
    return shape.rank() == expected.rank() + 1 && expected.accepts(shape.withoutLeading());
  }

  /** The byte size that follows from the shape; 0 for strings, whose size does not. */
  private long byteSize(String id, Tensor input) {
    try {
      return Math.multiplyExact(input.shape().elementCount(), (long) input.dataType().byteSize());
    } catch (ArithmeticException tooLarge) {
      throw invalid(
          "%sshape %s of input '%s' for model '%s' exceeds the maximum byte size of %d",
          prefix(id), input.shape(), input.name(), config.name(), Long.MAX_VALUE);
    }
  }

  /** A model with a control input for the correlation id gets it in the type of that input. */
  private void checkSequenceId(String id, SequenceSettings.Control control, SequenceId sequenceId) {
    boolean text = sequenceId instanceof SequenceId.OfString;
    if (!sequenceId.equals(SequenceId.NONE) && text != (control.dataType() == DataType.BYTES)) {
      throw invalid(
          "%ssequence batching control '%s' data-type is '%s', but model '%s' expects '%s'",
          prefix(id),
          control.inputName(),
          text ? DataType.BYTES : DataType.UINT64,
          config.name(),
          control.dataType());
    }
  }

  private static InferenceException invalid(String format, Object... arguments) {
    return InferenceException.invalid(format.formatted(arguments));
  }
}
