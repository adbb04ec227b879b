package io.nereid.tools.data;

import io.nereid.client.model.TensorMetadata;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a file is to have: the inputs of a model, all of them, or some of its outputs.
 *
 * @param tensors at least one
 * @param optional the inputs that a request need not have
 * @param isOne whether the user has chosen one of the model's outputs: a file may have others
 * @param ofText what helps if a text comes where a number is expected; may be empty
 */
public record WantedTensors(
    List<TensorMetadata> tensors,
    ColumnNames names,
    boolean areInputs,
    Set<String> optional,
    boolean isOne,
    String ofText) {
  public WantedTensors {
    tensors = List.copyOf(tensors);
    optional = Set.copyOf(optional);
  }

  public static WantedTensors inputs(
      List<TensorMetadata> tensors, ColumnNames names, Set<String> optional, String ofText) {
    return new WantedTensors(
        tensors, names, /* areInputs= */ true, optional, /* isOne= */ false, ofText);
  }

  public static WantedTensors outputs(
      List<TensorMetadata> tensors, ColumnNames names, boolean isOne) {
    return new WantedTensors(tensors, names, /* areInputs= */ false, Set.of(), isOne, "");
  }

  /** Whether a file with arrays of such names may have them beside what is wanted. */
  boolean isChosen(Set<String> arrays) {
    return isOne && arrays.contains(tensors.getFirst().name());
  }

  /** The names of columns of inputs; empty if they are not known. */
  Set<String> columns() {
    if (!areInputs) {
      return Set.of();
    }
    return tensors.size() == 1
        ? Set.copyOf(names.features())
        : tensors.stream().map(TensorMetadata::name).collect(Collectors.toUnmodifiableSet());
  }

  /**
   * The features by whose names the columns of the only input are found; empty if there are none.
   */
  List<String> features() {
    return areInputs && tensors.size() == 1 ? names.features() : List.of();
  }
}
