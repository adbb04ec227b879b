package io.nereid.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An input or an output of a model.
 *
 * @param dataType the protocol's name, such as {@code FP32}
 * @param shape with -1 for each dimension of any size; the first is that of the batch, if the model
 *     batches
 */
public record TensorMetadata(String name, String dataType, List<Long> shape) {
  public TensorMetadata {
    shape = List.copyOf(shape);
  }

  static TensorMetadata of(@Nullable Object tree) {
    Tree tensor = Tree.of(tree);
    return new TensorMetadata(
        tensor.text("name"),
        tensor.text("datatype"),
        tensor.list("shape", TensorMetadata::dimension));
  }

  private static Long dimension(@Nullable Object value) {
    if (value instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("'%s' is no dimension".formatted(value));
  }
}
