package io.nereid.tensorrt.machine;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaEvent;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.cuda.DeviceMemoryPool;
import io.nereid.tensorrt.cuda.PinnedMemory;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Measures copies by events on their stream: the median of some rounds, for each size. */
final class Bandwidth {
  /**
   * One figure.
   *
   * @param bytesMoved what the memory reads and writes: twice the size for a copy on the device
   * @param limit in 10^9 bytes per second
   */
  record Row(String copy, long byteSize, long bytesMoved, float millis, double limit) {
    double gigabytesPerSecond() {
      return bytesMoved / (millis * 1e6);
    }
  }

  private static final int WARM_UPS = 3;

  private final CudaDevice device;
  private final DeviceLimits limits;
  private final int rounds;

  Bandwidth(CudaDevice device, DeviceLimits limits, int rounds) {
    this.device = device;
    this.limits = limits;
    this.rounds = rounds;
  }

  List<Row> measure(long... sizes) {
    device.use();
    List<Row> rows = new ArrayList<>();
    for (long size : sizes) {
      measure(size, rows);
    }
    return rows;
  }

  private void measure(long size, List<Row> rows) {
    var pinnedMemory = new PinnedMemory(device);
    try (var arena = Arena.ofConfined();
        var pool = DeviceMemoryPool.create(device);
        var stream = CudaStream.create(0)) {
      MemorySegment pageable = arena.allocate(size).fill((byte) 1);
      MemorySegment pinned = pinnedMemory.allocate(size).fill((byte) 1);
      DeviceBuffer one = pool.allocate(size, stream);
      DeviceBuffer two = pool.allocate(size, stream);
      double link = limits.link();
      Measurement m = new Measurement(stream, size, rows);
      m.add("pageable to device", 1, link, () -> stream.copyToDevice(one, 0, pageable, size));
      m.add("device to pageable", 1, link, () -> stream.copyToHost(pageable, one, 0, size));
      m.add("pinned to device", 1, link, () -> stream.copyToDevice(one, 0, pinned, size));
      m.add("device to pinned", 1, link, () -> stream.copyToHost(pinned, one, 0, size));
      m.add(
          "device to device", 2, limits.memory(), () -> stream.copyOnDevice(two, 0, one, 0, size));
      m.add("fill", 1, limits.memory(), () -> stream.fill(two, 0, size, (byte) 2));
      one.free(stream);
      two.free(stream);
      stream.synchronize();
      pinnedMemory.free(pinned);
    }
  }

  private final class Measurement {
    private final CudaStream stream;
    private final long size;
    private final List<Row> rows;

    Measurement(CudaStream stream, long size, List<Row> rows) {
      this.stream = stream;
      this.size = size;
      this.rows = rows;
    }

    void add(String copy, int accesses, double limit, Runnable work) {
      rows.add(new Row(copy, size, accesses * size, median(work), limit));
    }

    private float median(Runnable work) {
      float[] millis = new float[rounds];
      try (var start = CudaEvent.create(true, true);
          var end = CudaEvent.create(true, true)) {
        for (int i = -WARM_UPS; i < rounds; i++) {
          start.record(stream);
          work.run();
          end.record(stream);
          end.synchronize();
          if (i >= 0) {
            millis[i] = CudaEvent.millisBetween(start, end);
          }
        }
      }
      Arrays.sort(millis);
      return millis[rounds / 2];
    }
  }

  void print(List<Row> rows, PrintStream out) {
    out.printf(
        "%s, compute capability %s: memory %.0f GB/s, link %.1f GB/s%n",
        device.name(), device.computeCapability(), limits.memory(), limits.link());
    out.printf("%-20s %12s %10s %10s %10s%n", "copy", "bytes", "ms", "GB/s", "of limit");
    for (Row row : rows) {
      out.printf(
          "%-20s %12d %10.4f %10.2f %9.0f%%%n",
          row.copy(),
          row.byteSize(),
          row.millis(),
          row.gigabytesPerSecond(),
          100 * row.gigabytesPerSecond() / row.limit());
    }
  }
}
