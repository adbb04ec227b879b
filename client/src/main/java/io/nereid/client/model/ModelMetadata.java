package io.nereid.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model takes and gives.
 *
 * @param versions those that are ready, or the one that was asked for
 * @param platform such as {@code onnxruntime_onnx}
 */
public record ModelMetadata(
    String name,
    List<String> versions,
    String platform,
    List<TensorMetadata> inputs,
    List<TensorMetadata> outputs) {
  public ModelMetadata {
    versions = List.copyOf(versions);
    inputs = List.copyOf(inputs);
    outputs = List.copyOf(outputs);
  }

  /** For the client: reads what a transport got. */
  public static ModelMetadata of(@Nullable Object tree) {
    Tree model = Tree.of(tree);
    return new ModelMetadata(
        model.text("name"),
        model.list("versions", Tree::string),
        model.text("platform"),
        model.list("inputs", TensorMetadata::of),
        model.list("outputs", TensorMetadata::of));
  }
}
