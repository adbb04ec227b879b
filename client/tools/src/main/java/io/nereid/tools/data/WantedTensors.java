package io.nereid.tools.data;

import io.nereid.client.model.TensorMetadata;
import java.util.List;

/**
 * What a file is to have: the inputs of a model, all of them, or some of its outputs.
 *
 * @param tensors at least one
 * @param ofText what helps if a text comes where a number is expected; may be empty
 */
public record WantedTensors(
    List<TensorMetadata> tensors, ColumnNames names, boolean areInputs, String ofText) {
  public WantedTensors {
    tensors = List.copyOf(tensors);
  }

  public static WantedTensors outputs(List<TensorMetadata> tensors, ColumnNames names) {
    return new WantedTensors(tensors, names, /* areInputs= */ false, "");
  }

  /**
   * The features by whose names the columns of the only input are found; empty if there are none.
   */
  List<String> features() {
    return areInputs && tensors.size() == 1 ? names.features() : List.of();
  }
}
