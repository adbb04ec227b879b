package io.nereid.engine.memory.region;

/** A registered region. */
public sealed interface RegionStatus {
  String name();

  long byteSize();

  RegionKind kind();

  /**
   * A region of a POSIX shared memory object.
   *
   * @param key the name of the object
   * @param offset where the region begins in the object
   */
  record SystemMemory(String name, String key, long offset, long byteSize) implements RegionStatus {
    @Override
    public RegionKind kind() {
      return RegionKind.SYSTEM;
    }
  }

  /**
   * A region of a GPU's memory.
   *
   * @param deviceId the GPU's
   */
  record CudaMemory(String name, long deviceId, long byteSize) implements RegionStatus {
    @Override
    public RegionKind kind() {
      return RegionKind.CUDA;
    }
  }
}
