package io.nereid.server.metrics.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The GPUs that {@code CUDA_VISIBLE_DEVICES} selects, by index or by the beginning of the UUID, up
 * to the first that does not exist (NVIDIA, CUDA C++ Programming Guide, "CUDA Environment
 * Variables"). An index is that of NVML, which is CUDA's if {@code CUDA_DEVICE_ORDER} is {@code
 * PCI_BUS_ID} or the GPUs are of one kind. A part of a GPU ({@code MIG-…}) selects all GPUs, since
 * its UUID does not name its GPU.
 */
final class VisibleDevices {
  private VisibleDevices() {}

  /**
   * The indices of the selected ones, in ascending order.
   *
   * @param variable the environment variable; empty if it is not set
   * @param uuids of all GPUs, by index
   */
  static List<Integer> select(Optional<String> variable, List<String> uuids) {
    List<Integer> all = IntStream.range(0, uuids.size()).boxed().toList();
    if (variable.isEmpty()) {
      return all;
    }
    List<Integer> selected = new ArrayList<>();
    for (String entry : variable.get().split(",", -1)) {
      String device = entry.strip();
      if (device.startsWith("MIG-")) {
        return all;
      }
      int index = index(device, uuids);
      if (index < 0) {
        break;
      }
      selected.add(index);
    }
    return selected.stream().distinct().sorted().toList();
  }

  /** The index of a GPU; negative if there is none, or several. */
  private static int index(String device, List<String> uuids) {
    if (device.matches("\\d{1,6}")) {
      int index = Integer.parseInt(device);
      return index < uuids.size() ? index : -1;
    }
    List<String> matching = uuids.stream().filter(uuid -> uuid.startsWith(device)).toList();
    boolean unique = device.startsWith("GPU-") && matching.size() == 1;
    return unique ? uuids.indexOf(matching.getFirst()) : -1;
  }
}
