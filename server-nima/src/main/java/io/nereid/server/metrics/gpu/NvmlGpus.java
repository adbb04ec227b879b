package io.nereid.server.metrics.gpu;

import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The GPUs of an initialized NVML. Each failure is logged once for a GPU and its text, and leaves
 * the value out of the reading. One thread makes all calls.
 */
final class NvmlGpus implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(NvmlGpus.class.getName());

  private final NvmlLibrary library;
  private final List<Gpu> gpus;
  private final Set<String> logged = new HashSet<>();

  /** One GPU and the energy that it has used since the first reading. */
  private static final class Gpu {
    final MemorySegment device;
    final String uuid;
    private OptionalLong latest = OptionalLong.empty();
    private long used;

    Gpu(MemorySegment device, String uuid) {
      this.device = device;
      this.uuid = uuid;
    }

    /** Adds what was used since the last call; nothing if the driver has begun to count anew. */
    long usedSince(long energy) {
      used += Math.max(0, energy - latest.orElse(energy));
      latest = OptionalLong.of(energy);
      return used;
    }
  }

  /** A value of a device. */
  private interface Value<T> {
    T of(MemorySegment device) throws NvmlException;
  }

  private NvmlGpus(NvmlLibrary library, List<Gpu> gpus) {
    this.library = library;
    this.gpus = List.copyOf(gpus);
  }

  /**
   * Initializes a library and finds the GPUs that are visible.
   *
   * @param visible {@code CUDA_VISIBLE_DEVICES}; empty if it is not set
   * @throws NvmlException if there is no driver, no permission, or a GPU without a UUID
   */
  static NvmlGpus open(NvmlLibrary library, Optional<String> visible) throws NvmlException {
    library.initialize();
    try {
      List<Gpu> all = new ArrayList<>();
      int count = library.deviceCount();
      for (int i = 0; i < count; i++) {
        MemorySegment device = library.device(i);
        all.add(new Gpu(device, library.uuid(device)));
      }
      List<String> uuids = all.stream().map(gpu -> gpu.uuid).toList();
      return new NvmlGpus(
          library, VisibleDevices.select(visible, uuids).stream().map(all::get).toList());
    } catch (NvmlException failed) {
      try {
        library.shutDown();
      } catch (NvmlException alsoFailed) {
        failed.addSuppressed(alsoFailed);
      }
      throw failed;
    }
  }

  List<String> uuids() {
    return gpus.stream().map(gpu -> gpu.uuid).toList();
  }

  /** Reads all values of all GPUs. */
  List<GpuReading> read() {
    return gpus.stream().map(this::read).toList();
  }

  private GpuReading read(Gpu gpu) {
    Optional<NvmlLibrary.Memory> memory = value(gpu, library::memory);
    return new GpuReading(
        gpu.uuid,
        value(gpu, library::powerMilliwatts),
        value(gpu, library::powerLimitMilliwatts),
        value(gpu, device -> gpu.usedSince(library.energyMillijoules(device))),
        value(gpu, library::utilizationPercent),
        memory.map(NvmlLibrary.Memory::total),
        memory.map(NvmlLibrary.Memory::used));
  }

  private <T> Optional<T> value(Gpu gpu, Value<T> value) {
    try {
      return Optional.of(value.of(gpu.device));
    } catch (NvmlException failed) {
      String line = "A metric of %s is left out: %s".formatted(gpu.uuid, failed.getMessage());
      if (logged.add(line)) {
        LOG.log(Level.WARNING, line);
      }
      return Optional.empty();
    }
  }

  /** Shuts the library down; a failure is logged. */
  @Override
  public void close() {
    try {
      library.shutDown();
    } catch (NvmlException failed) {
      LOG.log(Level.WARNING, "The metrics of GPUs did not end in order: {0}", failed.getMessage());
    }
  }
}
