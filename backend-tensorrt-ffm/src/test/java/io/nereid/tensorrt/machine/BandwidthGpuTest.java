package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.cuda.CudaDevice;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Prints how fast a GPU copies, beside what it reports as its limits. */
@Tag("gpu")
class BandwidthGpuTest {
  private static final long LARGEST = 256 << 20;

  @Test
  void noCopyIsFasterThanTheLimitThatTheDeviceReports() throws IOException {
    CudaDevice device = RealGpu.require();
    var bandwidth = new Bandwidth(device, DeviceLimits.of(device), 21);

    List<Bandwidth.Row> rows = bandwidth.measure(4 << 10, 64 << 10, 1 << 20, 16 << 20, LARGEST);

    bandwidth.print(rows, System.out);
    assertThat(rows).allMatch(row -> row.millis() > 0);
    // A smaller copy on the device may stay in its cache.
    assertThat(rows)
        .filteredOn(row -> row.byteSize() == LARGEST && !Double.isNaN(row.limit()))
        .allMatch(row -> row.gigabytesPerSecond() < 1.02 * row.limit());
  }
}
