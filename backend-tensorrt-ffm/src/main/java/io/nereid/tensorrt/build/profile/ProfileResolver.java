package io.nereid.tensorrt.build.profile;

import io.nereid.config.ModelConfig;
import io.nereid.config.SequenceSettings;
import io.nereid.error.InferenceException;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.build.onnx.OnnxGraph;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The optimisation profiles of a model. The range of a dimension of any size is, in this order:
 *
 * <ol>
 *   <li>what the parameter of the profile states;
 *   <li>for the batch dimension: 1, the largest preferred batch size, the maximum batch size;
 *   <li>the size that the configuration states in {@code dims}.
 * </ol>
 *
 * A dimension without any of these is an error. A range for an input whose dimensions are all fixed
 * is one of values: such an input is a shape tensor.
 *
 * @param onnxFile for messages
 * @param defaultMaxBatchSize of a model whose configuration is still to be completed
 */
public record ProfileResolver(
    OnnxGraph graph, ModelConfig config, String onnxFile, int defaultMaxBatchSize) {
  /**
   * Resolves the profiles.
   *
   * @return empty if no input needs one
   * @throws InferenceException INVALID_ARGUMENT if a range is missing or does not fit its input;
   *     the message says which parameter to set
   */
  public List<Profile> resolve(List<ProfileParameter> parameters) {
    List<ProfileParameter> all = parameters.isEmpty() ? List.of(ProfileParameter.NONE) : parameters;
    List<Profile> profiles = all.stream().map(this::profile).toList();
    return profiles.stream().allMatch(profile -> profile.inputs().isEmpty()) ? List.of() : profiles;
  }

  private Profile profile(ProfileParameter parameter) {
    requireKnown(parameter);
    Optional<BatchSizes> batch = batchSizes(parameter);
    List<Profile.Range> inputs = new ArrayList<>();
    List<InputAxes> unbounded = new ArrayList<>();
    for (OnnxGraph.Input input : graph.inputs()) {
      StatedRange range = parameter.ranges().get(input.name());
      if (input.isDynamic()) {
        InputAxes axes = axes(parameter, input, range, batch);
        if (axes.isBounded()) {
          inputs.add(ordered(parameter, axes.range()));
        } else {
          unbounded.add(axes);
        }
      } else if (range != null) {
        inputs.add(values(parameter, input, range));
      }
    }
    if (!unbounded.isEmpty()) {
      throw unbounded(parameter, unbounded);
    }
    return new Profile(inputs);
  }

  private void requireKnown(ProfileParameter parameter) {
    List<String> known = graph.inputs().stream().map(OnnxGraph.Input::name).toList();
    for (String input : parameter.ranges().keySet()) {
      if (!known.contains(input)) {
        throw invalid(
            "parameter '%s' has input '%s', the inputs of '%s' are %s"
                .formatted(parameter.key(), input, onnxFile, known));
      }
    }
  }

  /** The sizes of the batch dimension; empty if the model does not batch. */
  private Optional<BatchSizes> batchSizes(ProfileParameter parameter) {
    if (config.batches()) {
      return Optional.of(BatchSizes.of(config.scheduling(), config.maxBatchSize()));
    }
    boolean canBatch =
        graph.inputs().stream()
            .filter(input -> input.isDynamic() || !parameter.ranges().containsKey(input.name()))
            .allMatch(this::canBatch);
    return canBatch && defaultMaxBatchSize > 0
        ? Optional.of(BatchSizes.of(config.scheduling(), defaultMaxBatchSize))
        : Optional.empty();
  }

  /** Whether completion would find a batch dimension: dims of the configuration have none. */
  private boolean canBatch(OnnxGraph.Input input) {
    int rank = input.dims().size();
    return rank > 0
        && input.dims().getFirst() == -1
        && shape(input.name()).map(Shape::rank).filter(stated -> stated == rank).isEmpty();
  }

  private InputAxes axes(
      ProfileParameter parameter,
      OnnxGraph.Input input,
      @Nullable StatedRange range,
      Optional<BatchSizes> batch) {
    int rank = input.dims().size();
    if (range != null && range.length() != rank) {
      throw invalid(
          "parameter '%s' has %d dimensions for input '%s' of '%s', which has %d: %s"
              .formatted(
                  parameter.key(), range.length(), input.name(), onnxFile, rank, input.dims()));
    }
    List<Long> configured = configuredDims(input);
    var axes = new InputAxes(input);
    for (int i = 0; i < rank; i++) {
      long dim = input.dims().get(i);
      long known = dim == -1 ? configured.get(i) : dim;
      Optional<long[]> otherwise = Optional.empty();
      if (i == 0 && dim == -1 && hasBatchDimension(input) && batch.isPresent()) {
        otherwise = batch.map(sizes -> new long[] {1, sizes.opt(), sizes.max()});
      } else if (known != -1) {
        otherwise = Optional.of(new long[] {known, known, known});
      }
      axes.add(range == null ? otherwise : stated(parameter, input, range, i, otherwise));
    }
    return axes;
  }

  private Optional<long[]> stated(
      ProfileParameter parameter,
      OnnxGraph.Input input,
      StatedRange range,
      int axis,
      Optional<long[]> otherwise) {
    List<String> texts =
        List.of(range.min().get(axis), range.opt().get(axis), range.max().get(axis));
    long[] bounds = new long[texts.size()];
    for (int i = 0; i < bounds.length; i++) {
      if (!texts.get(i).equals(StatedRange.UNSTATED)) {
        bounds[i] = Long.parseLong(texts.get(i));
      } else if (otherwise.isPresent()) {
        bounds[i] = otherwise.get()[i];
      } else {
        return Optional.empty();
      }
      long dim = input.dims().get(axis);
      if (bounds[i] < 0 || (dim != -1 && bounds[i] != dim)) {
        throw invalid(
            "parameter '%s' has %d for dimension %d of input '%s', which is %s in '%s'"
                .formatted(
                    parameter.key(),
                    bounds[i],
                    axis,
                    input.name(),
                    dim == -1 ? "a size" : dim,
                    onnxFile));
      }
    }
    return Optional.of(bounds);
  }

  private boolean hasBatchDimension(OnnxGraph.Input input) {
    boolean without =
        config
            .input(input.name())
            .map(known -> known.allowRaggedBatch() || known.shapeTensor())
            .orElse(false);
    return !without && config.batchInput(input.name()).isEmpty();
  }

  /** The dimensions of an input as the configuration states them, -1 where it does not. */
  private List<Long> configuredDims(OnnxGraph.Input input) {
    int rank = input.dims().size();
    Optional<Shape> stated = shape(input.name());
    int batch = stated.isPresent() && stated.get().rank() == rank - 1 ? 1 : 0;
    boolean fits = stated.isPresent() && stated.get().rank() + batch == rank;
    List<Long> dims = new ArrayList<>();
    for (int i = 0; i < rank; i++) {
      dims.add(fits && i >= batch ? stated.get().dim(i - batch) : -1L);
    }
    return dims;
  }

  /** The shape of an input that the configuration states, without the batch dimension. */
  private Optional<Shape> shape(String input) {
    return config
        .input(input)
        .map(known -> known.reshape().orElse(known.dims()))
        .or(() ->
            config.sequence().stream()
                .flatMap(sequence -> sequence.states().stream())
                .filter(state -> state.inputName().equals(input))
                .map(SequenceSettings.State::dims)
                .findFirst());
  }

  private Profile.Range values(
      ProfileParameter parameter, OnnxGraph.Input input, StatedRange range) {
    long count = input.dims().stream().reduce(1L, Math::multiplyExact);
    if (range.length() != count) {
      throw invalid(
          "parameter '%s' has %d values for shape tensor '%s' of '%s', which has %d"
              .formatted(parameter.key(), range.length(), input.name(), onnxFile, count));
    }
    for (List<String> entry : List.of(range.min(), range.opt(), range.max())) {
      if (entry.contains(StatedRange.UNSTATED)) {
        throw invalid(
            "parameter '%s' must state all values of shape tensor '%s'"
                .formatted(parameter.key(), input.name()));
      }
    }
    return ordered(
        parameter,
        new Profile.Range(
            input.name(), true, numbers(range.min()), numbers(range.opt()), numbers(range.max())));
  }

  private static List<Long> numbers(List<String> texts) {
    return texts.stream().map(Long::valueOf).toList();
  }

  private Profile.Range ordered(ProfileParameter parameter, Profile.Range range) {
    for (int i = 0; i < range.min().size(); i++) {
      List<Long> bounds = List.of(range.min().get(i), range.opt().get(i), range.max().get(i));
      List<Long> sorted = new ArrayList<>(bounds);
      Collections.sort(sorted);
      if (!bounds.equals(sorted)) {
        throw invalid(
            "minimum, optimum and maximum of input '%s' must ascend in profile parameter '%s', got %d, %d and %d"
                .formatted(
                    range.input(), parameter.key(), bounds.get(0), bounds.get(1), bounds.get(2)));
      }
    }
    return range;
  }

  private InferenceException unbounded(ProfileParameter parameter, List<InputAxes> inputs) {
    List<String> entries = new ArrayList<>();
    parameter
        .ranges()
        .forEach((input, range) -> {
          if (inputs.stream().noneMatch(axes -> axes.input().name().equals(input))) {
            entries.add(input + ":" + range);
          }
        });
    Collections.sort(entries);
    inputs.forEach(axes -> entries.add(axes.placeholder()));
    return invalid(
        ("no plan can be built from '%s' without a range for %s; state it in config.pbtxt as"
                + " parameters { key: \"%s\" value: { string_value: \"%s\" } }"
                + " with numbers for <min>, <opt> and <max>")
            .formatted(
                onnxFile,
                inputs.stream()
                    .map(
                        axes -> "input '%s' %s".formatted(axes.input().name(), axes.input().dims()))
                    .collect(Collectors.joining(" and ")),
                parameter.key(),
                String.join(",", entries)));
  }

  private InferenceException invalid(String message) {
    return InferenceException.invalid("model '%s': %s".formatted(config.name(), message));
  }
}
