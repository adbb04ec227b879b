package io.nereid.config;

import io.nereid.tensor.DataType;
import java.util.List;

/**
 * {@code batch_input}: an input that tells how a batch is made up, computed for each batch.
 *
 * @param targetNames the model's inputs that get it
 * @param dataType INT32 or FP32
 * @param sourceInput the input whose shapes count
 */
public record BatchInput(
    Kind kind, List<String> targetNames, DataType dataType, String sourceInput) {
  /** What is computed. */
  public enum Kind {
    BATCH_ELEMENT_COUNT,
    BATCH_ACCUMULATED_ELEMENT_COUNT,
    BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,
    BATCH_MAX_ELEMENT_COUNT_AS_SHAPE,
    BATCH_ITEM_SHAPE,
    BATCH_ITEM_SHAPE_FLATTEN
  }

  public BatchInput {
    targetNames = List.copyOf(targetNames);
  }
}
