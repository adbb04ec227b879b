package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.engine.TensorRtVersion;
import java.util.OptionalInt;

/** {@code nvinfer1::BuilderFlag}: what the builder may do. Its numbers differ by major version. */
public enum BuilderFlag {
  /** Compute in FP16 where that is faster. */
  FP16,
  /** Compute in BF16 where that is faster. */
  BF16,
  /** Compute in INT8 where the model states how values are quantised. */
  INT8,
  /** Round the factors of FP32 products to 10 bits; on by default. */
  TF32;

  /** The flag's number; empty if that version has no such flag. */
  public OptionalInt number(TensorRtVersion version) {
    if (version.major() != 10) {
      return this == TF32 ? OptionalInt.of(Nvinfer.trt11_kTF32()) : OptionalInt.empty();
    }
    return OptionalInt.of(
        switch (this) {
          case FP16 -> Nvinfer.trt10_kFP16();
          case BF16 -> Nvinfer.trt10_kBF16();
          case INT8 -> Nvinfer.trt10_kINT8();
          case TF32 -> Nvinfer.trt10_kTF32();
        });
  }
}
