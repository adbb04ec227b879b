package io.nereid.config;

import io.nereid.tensor.DataType;
import java.util.List;

/**
 * {@code batch_input}: model inputs that the server computes for each batch from the shapes of the
 * requests in it. Requests do not contain them.
 *
 * @param targetNames the model's inputs that receive the computed tensor
 * @param dataType INT32 or FP32
 * @param sourceInput the request input whose shapes are read
 */
public record BatchInput(
    Kind kind, List<String> targetNames, DataType dataType, String sourceInput) {
  /**
   * What is computed from the source input. Element counts include all rows of a request; shapes
   * leave out the batch dimension.
   */
  public enum Kind {
    /** One element per request: its element count. */
    BATCH_ELEMENT_COUNT,
    /** One element per request: the sum of the element counts up to and including this request. */
    BATCH_ACCUMULATED_ELEMENT_COUNT,
    /** As {@link #BATCH_ACCUMULATED_ELEMENT_COUNT}, with a zero in front. */
    BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO,
    /** A tensor as long as the largest element count; its values are unspecified. */
    BATCH_MAX_ELEMENT_COUNT_AS_SHAPE,
    /** For each row of the batch a row with its shape: {@code [rows, rank]}. */
    BATCH_ITEM_SHAPE,
    /** As {@link #BATCH_ITEM_SHAPE}, in one dimension: {@code [rows * rank]}. */
    BATCH_ITEM_SHAPE_FLATTEN
  }

  public BatchInput {
    targetNames = List.copyOf(targetNames);
  }
}
