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
  /**
   * What is computed, of the source input of each request: its elements, rows included, or its
   * shape, without the batch dimension.
   */
  public enum Kind {
    /** One element a request: how many elements it has. */
    BATCH_ELEMENT_COUNT,
    /** One element a request: how many elements it has together with those before it. */
    BATCH_ACCUMULATED_ELEMENT_COUNT,
    /** The same behind a zero: where each request begins, and where the last one ends. */
    BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,
    /** As many elements as the largest request has; their values mean nothing. */
    BATCH_MAX_ELEMENT_COUNT_AS_SHAPE,
    /** One row for each row of the batch: its shape. */
    BATCH_ITEM_SHAPE,
    /** The same in one dimension. */
    BATCH_ITEM_SHAPE_FLATTEN
  }

  public BatchInput {
    targetNames = List.copyOf(targetNames);
  }
}
