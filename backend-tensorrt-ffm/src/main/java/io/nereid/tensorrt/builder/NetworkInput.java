package io.nereid.tensorrt.builder;

import java.util.List;

/**
 * An input of a network.
 *
 * @param dims -1 for a dimension of any size
 * @param shapeTensor whether shapes are computed from its values
 */
public record NetworkInput(String name, List<Long> dims, boolean shapeTensor) {
  public NetworkInput {
    dims = List.copyOf(dims);
  }
}
