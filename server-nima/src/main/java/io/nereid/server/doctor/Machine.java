package io.nereid.server.doctor;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The JVM and the machine that it runs on, as the checks see them.
 *
 * @param memory of the machine or its container, in bytes
 * @param maxOpenFiles of this process; empty if the system has no such limit
 * @param root the root of the file system, for {@code /proc} and {@code /sys}
 * @param temporaryDirectory the system property {@code java.io.tmpdir}
 */
record Machine(
    Jvm jvm, long memory, OptionalLong maxOpenFiles, Path root, Path temporaryDirectory) {
  static Machine current() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Machine(
        Jvm.current(),
        system.getTotalMemorySize(),
        system instanceof UnixOperatingSystemMXBean unix
            ? OptionalLong.of(unix.getMaxFileDescriptorCount())
            : OptionalLong.empty(),
        Path.of("/"),
        Path.of(System.getProperty("java.io.tmpdir", ".")));
  }
}
