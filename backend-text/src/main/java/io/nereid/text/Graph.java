package io.nereid.text;

import io.nereid.config.ModelConfig;
import io.nereid.config.TensorConfig;
import io.nereid.error.InferenceException;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.text.folder.Pooling;
import io.nereid.text.folder.Task;
import io.nereid.text.folder.TextFolder;
import io.nereid.text.folder.TextSettings;
import io.nereid.text.vector.DenseLayer;
import java.util.List;
import java.util.Optional;

/**
 * The graph of a text model, which is a part of it.
 *
 * @param model the name to call it by
 * @param inputs of {@link #INPUTS}, those that it has
 * @param output the name of the output that is read
 * @param width of that output's vectors; empty if the file does not say
 * @param pooling of that output
 * @param padId the id of the token that fills rows up
 * @param firstPosition the position of a text's first token
 */
record Graph(
    String model,
    List<String> inputs,
    String output,
    Optional<Integer> width,
    Pooling pooling,
    int padId,
    int firstPosition) {
  static final String IDS = "input_ids";
  static final String MASK = "attention_mask";
  static final String TYPES = "token_type_ids";
  static final String POSITIONS = "position_ids";

  private static final List<String> INPUTS = List.of(IDS, MASK, TYPES, POSITIONS);
  private static final List<String> OF_TOKENS = List.of("last_hidden_state", "token_embeddings");
  private static final List<String> OF_TEXTS = List.of("sentence_embedding");
  private static final List<String> OF_LABELS = List.of("logits");

  /**
   * Finds in a graph what a task needs.
   *
   * @param part its completed configuration
   * @throws InferenceException INVALID_ARGUMENT if it has inputs that are not known, or no output
   *     for the task
   */
  static Graph of(ModelConfig part, TextFolder folder, TextSettings settings) {
    for (TensorConfig input : part.inputs()) {
      if (!INPUTS.contains(input.name()) || input.dataType() != DataType.INT64) {
        throw InferenceException.invalid(
            "the graph '%s' has the input '%s' of %s; %s of INT64 are served"
                .formatted(folder.graph(), input.name(), input.dataType(), INPUTS));
      }
    }
    if (part.input(IDS).isEmpty()) {
      throw InferenceException.invalid(
          "the graph '%s' has no input '%s'".formatted(folder.graph(), IDS));
    }
    Pooling pooling = pooling(part, settings, folder);
    TensorConfig output =
        pooling == Pooling.GRAPH
            ? output(part, 2, settings.task() == Task.EMBEDDING ? OF_TEXTS : OF_LABELS, folder)
            : output(part, 3, OF_TOKENS, folder);
    Shape dims = output.dims();
    long width = dims.dim(dims.rank() - 1);
    return new Graph(
        part.name(),
        part.inputs().stream().map(TensorConfig::name).toList(),
        output.name(),
        width > 0 ? Optional.of(Math.toIntExact(width)) : Optional.empty(),
        pooling,
        folder.padId(),
        folder.firstPosition());
  }

  private static Pooling pooling(ModelConfig part, TextSettings settings, TextFolder folder) {
    if (settings.task() != Task.EMBEDDING) {
      return Pooling.GRAPH;
    }
    return settings
        .pooling()
        .or(() ->
            OF_TEXTS.stream()
                .filter(name -> part.output(name).isPresent())
                .findFirst()
                .map(_ -> Pooling.GRAPH))
        .orElseThrow(() ->
            InferenceException.invalid(
                ("neither 1_Pooling/config.json nor the graph '%s' says how vectors of tokens"
                        + " become one: parameter 'pooling' must be cls, mean or last-token")
                    .formatted(folder.graph())));
  }

  /** The output of that rank, batch included, with one of these names, or the first. */
  private static TensorConfig output(
      ModelConfig part, int rank, List<String> names, TextFolder folder) {
    int batch = part.batches() ? 1 : 0;
    List<TensorConfig> fitting =
        part.outputs().stream().filter(each -> each.dims().rank() + batch == rank).toList();
    return fitting.stream()
        .filter(each -> names.contains(each.name()))
        .findFirst()
        .or(() -> fitting.stream().findFirst())
        .orElseThrow(() ->
            InferenceException.invalid(
                "the graph '%s' has no output of %d dimensions, such as %s; it has %s"
                    .formatted(
                        folder.graph(),
                        rank,
                        names,
                        part.outputs().stream().map(TensorConfig::name).toList())));
  }

  /** Whether its output has one vector for each text. */
  boolean isPooled() {
    return pooling == Pooling.GRAPH;
  }

  /**
   * Checks that vectors have the width that the configuration says.
   *
   * @throws InferenceException INVALID_ARGUMENT with both
   */
  void requireWidth(int expected, List<DenseLayer> layers) {
    Optional<Integer> found = width;
    for (DenseLayer layer : layers) {
      require(found, layer.inputs());
      found = Optional.of(layer.outputs());
    }
    require(found, expected);
  }

  private void require(Optional<Integer> found, int expected) {
    if (found.isPresent() && found.get() != expected) {
      throw InferenceException.invalid(
          "output '%s' of the graph has the width %d, where %d is expected"
              .formatted(output, found.get(), expected));
    }
  }
}
