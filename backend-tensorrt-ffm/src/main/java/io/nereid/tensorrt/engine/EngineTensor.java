package io.nereid.tensorrt.engine;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;

/**
 * An input or an output of an engine.
 *
 * @param index its number among the tensors of the engine, by which other methods name it
 * @param dims {@link Shape#WILDCARD} where a dimension is given at execution or depends on data;
 *     includes the batch dimension
 * @param location where its content lies at execution
 * @param shapeTensor whether shapes are computed from its content ({@code isShapeInferenceIO}): an
 *     input that must be set before shapes are known, or an output that is known with them
 */
public record EngineTensor(
    int index,
    String name,
    Mode mode,
    DataType type,
    Shape dims,
    Location location,
    boolean shapeTensor) {
  /** Which way a tensor goes. */
  public enum Mode {
    INPUT,
    OUTPUT
  }

  /** Where the content of a tensor lies. */
  public enum Location {
    DEVICE,
    HOST
  }

  public boolean isInput() {
    return mode == Mode.INPUT;
  }
}
