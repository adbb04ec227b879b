package io.nereid.tensorrt.machine;

import io.nereid.tensorrt.bindings.cudart.Cudart;
import io.nereid.tensorrt.cuda.CudaDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * What a device reports on the speed of its memory and of its link to the host, in 10^9 bytes per
 * second; not a number where it is not known.
 *
 * @param memory reads and writes together
 * @param link one direction, without the overhead of packets
 */
record DeviceLimits(double memory, double link) {
  static final DeviceLimits UNKNOWN = new DeviceLimits(Double.NaN, Double.NaN);

  // enum cudaDeviceAttr (driver_types.h)
  private static final int PCI_BUS_ID = 33;
  private static final int PCI_DEVICE_ID = 34;
  private static final int MEMORY_CLOCK_KHZ = 36;
  private static final int MEMORY_BUS_BITS = 37;
  private static final int PCI_DOMAIN_ID = 50;

  private static final Path PCI_DEVICES = Path.of("/sys/bus/pci/devices");

  static DeviceLimits of(CudaDevice device) throws IOException {
    // Two transfers in a clock cycle.
    int clock = attribute(device, MEMORY_CLOCK_KHZ);
    double memory =
        clock > 0 ? 2.0 * 1000 * clock * attribute(device, MEMORY_BUS_BITS) / 8 : Double.NaN;
    String address =
        String.format(
            Locale.ROOT,
            "%04x:%02x:%02x.0",
            attribute(device, PCI_DOMAIN_ID),
            attribute(device, PCI_BUS_ID),
            attribute(device, PCI_DEVICE_ID));
    return new DeviceLimits(memory / 1e9, link(PCI_DEVICES.resolve(address)));
  }

  /** From the link's current speed, such as "32.0 GT/s PCIe", and width, such as "16". */
  static double link(Path pciDevice) throws IOException {
    Path speed = pciDevice.resolve("current_link_speed");
    Path width = pciDevice.resolve("current_link_width");
    if (!Files.isReadable(speed) || !Files.isReadable(width)) {
      return Double.NaN;
    }
    String text = Files.readString(speed).strip();
    double transfers = Double.parseDouble(text.substring(0, text.indexOf(' ')));
    double encoding = transfers < 8 ? 8.0 / 10 : 128.0 / 130;
    return transfers * Integer.parseInt(Files.readString(width).strip()) / 8 * encoding;
  }

  /** An attribute, -1 if this version of CUDA does not tell it. */
  private static int attribute(CudaDevice device, int attribute) {
    try (var arena = Arena.ofConfined()) {
      var value = arena.allocate(ValueLayout.JAVA_INT);
      int status = Cudart.cudaDeviceGetAttribute(value, attribute, device.id());
      return status == Cudart.cudaSuccess() ? value.get(ValueLayout.JAVA_INT, 0) : -1;
    }
  }
}
