package io.nereid.tensorrt.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The measurement of {@link BandwidthGpuTest} with the double; its figures mean nothing. */
@UsesDoubles
class BandwidthDoubleTest {
  @Test
  void measuresEveryKindOfCopyOnceForEachSize() {
    CudaDevice device = CudaDevice.of(0);
    var bandwidth = new Bandwidth(device, DeviceLimits.UNKNOWN, 3);
    var text = new ByteArrayOutputStream();

    List<Bandwidth.Row> rows = bandwidth.measure(4096, 65536);
    bandwidth.print(rows, new PrintStream(text, true, StandardCharsets.UTF_8));

    assertThat(rows).hasSize(12).extracting(Bandwidth.Row::byteSize).contains(4096L, 65536L);
    assertThat(text.toString(StandardCharsets.UTF_8)).hasLineCount(14).contains("device to device");
  }

  @Test
  void readsTheSpeedOfTheLinkAsLinuxStatesIt(@TempDir Path folder) throws IOException {
    assertThat(DeviceLimits.link(folder)).isNaN();

    Files.writeString(folder.resolve("current_link_speed"), "32.0 GT/s PCIe\n");
    Files.writeString(folder.resolve("current_link_width"), "16\n");

    assertThat(DeviceLimits.link(folder)).isCloseTo(63.0, Assertions.within(0.1));
  }
}
