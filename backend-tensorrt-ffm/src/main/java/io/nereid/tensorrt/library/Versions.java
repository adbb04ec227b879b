package io.nereid.tensorrt.library;

/** Versions as CUDA and TensorRT number them. */
final class Versions {
  private Versions() {}

  /** CUDA's, major * 1000 + minor * 10 (cuda_runtime_api.h), such as {@code 13.0}. */
  static String cuda(int version) {
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** The major version of TensorRT. */
  static int tensorRtMajor(int version) {
    return version < 10_000 ? version / 1000 : version / 10_000;
  }

  /**
   * TensorRT's, such as {@code 10.15.1}: major * 10000 + minor * 100 + patch since version 10, and
   * major * 1000 + minor * 100 + patch before (NvInferVersion.h).
   */
  static String tensorRt(int version) {
    return "%s.%s.%s"
        .formatted(
            tensorRtMajor(version),
            version % (version < 10_000 ? 1000 : 10_000) / 100,
            version % 100);
  }
}
