package io.nereid.tensorrt.engine;

/**
 * A version of TensorRT. It decides which tables are used, and how far they may be read: an entry
 * behind the last one of a version is not there.
 *
 * @param number {@code major * 10000 + minor * 100 + patch}, as {@code getInferLibVersion} returns
 *     it
 */
public record TensorRtVersion(int number) {
  /** Since this version, the memory of an engine is known as 64-bit sizes. */
  public static final int DEVICE_MEMORY_SIZE_V2 = 10_01_00;

  /** Since this version, the ranges of shape tensors are known as 64-bit values. */
  public static final int PROFILE_TENSOR_VALUES_V2 = 10_11_00;

  /** The newest minor versions whose headers the tables were compared with. */
  private static final int NEWEST_10 = 10_16_99;

  private static final int NEWEST_11 = 11_01_99;

  /** Whether there are tables for this version's major number. */
  public boolean isSupported() {
    return major() == 10 || major() == 11;
  }

  public int major() {
    return number / 10000;
  }

  /** Whether this is version {@code least} or a later one. */
  public boolean isAtLeast(int least) {
    return number >= least;
  }

  boolean isNewerThanTables() {
    return number > (major() == 10 ? NEWEST_10 : NEWEST_11);
  }

  /** Such as {@code 10.15.1}. */
  @Override
  public String toString() {
    return "%s.%s.%s".formatted(major(), number / 100 % 100, number % 100);
  }
}
