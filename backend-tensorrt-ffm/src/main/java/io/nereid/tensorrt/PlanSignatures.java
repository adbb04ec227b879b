package io.nereid.tensorrt;

import io.nereid.tensor.Shape;
import io.nereid.tensorrt.engine.CudaEngine;
import io.nereid.tensorrt.engine.EngineTensor;
import io.nereid.tensorrt.engine.ProfileRange;
import io.nereid.tensorrt.signature.InputRange;
import io.nereid.tensorrt.signature.PlanSignature;
import io.nereid.tensorrt.signature.PlanTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the signature of an engine. */
final class PlanSignatures {
  private PlanSignatures() {}

  static PlanSignature of(CudaEngine engine) {
    List<PlanTensor> tensors = new ArrayList<>();
    for (EngineTensor tensor : engine.tensors()) {
      tensors.add(
          new PlanTensor(
              tensor.index(),
              tensor.name(),
              tensor.isInput(),
              tensor.type(),
              tensor.dims(),
              isOnHost(tensor),
              tensor.isInput() ? ranges(engine, tensor) : List.of()));
    }
    return new PlanSignature(tensors, engine.profileCount());
  }

  private static boolean isOnHost(EngineTensor tensor) {
    return tensor.shapeTensor() || tensor.location() == EngineTensor.Location.HOST;
  }

  private static List<InputRange> ranges(CudaEngine engine, EngineTensor input) {
    List<InputRange> ranges = new ArrayList<>();
    for (int profile = 0; profile < engine.profileCount(); profile++) {
      ProfileRange range = engine.range(profile, input.index());
      ranges.add(
          isOnHost(input)
              ? values(input, range.values())
              : new InputRange(range.min(), range.opt(), range.max()));
    }
    return ranges;
  }

  /** Some versions of TensorRT do not say which values a profile admits. */
  private static InputRange values(EngineTensor input, Optional<ProfileRange.Values> values) {
    return values
        .map(known ->
            new InputRange(Shape.of(known.min()), Shape.of(known.opt()), Shape.of(known.max())))
        .orElseGet(() -> InputRange.unknown(Math.toIntExact(input.dims().elementCount())));
  }
}
