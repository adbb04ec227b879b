package io.nereid.server.doctor;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The JVM and the machine that it runs on, as the checks see them.
 *
 * @param javaVersion the feature release, such as 25
 * @param javaText version and vendor
 * @param jvmArguments the options of the JVM, without those of the program
 * @param nativeAccess whether code on the class path and in backends may call native functions
 *     without a warning
 * @param processors that the JVM uses
 * @param maxHeap in bytes
 * @param memory of the machine or its container, in bytes
 * @param maxOpenFiles of this process; empty if the system has no such limit
 * @param root the root of the file system, for {@code /proc} and {@code /sys}
 * @param temporaryDirectory the system property {@code java.io.tmpdir}
 */
record Machine(
    int javaVersion,
    String javaText,
    List<String> jvmArguments,
    boolean nativeAccess,
    int processors,
    long maxHeap,
    long memory,
    OptionalLong maxOpenFiles,
    Path root,
    Path temporaryDirectory) {
  Machine {
    jvmArguments = List.copyOf(jvmArguments);
  }

  static Machine current() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Machine(
        Runtime.version().feature(),
        "%s, %s".formatted(Runtime.version(), System.getProperty("java.vendor", "unknown vendor")),
        ManagementFactory.getRuntimeMXBean().getInputArguments(),
        Machine.class.getModule().isNativeAccessEnabled(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.getRuntime().maxMemory(),
        system.getTotalMemorySize(),
        system instanceof UnixOperatingSystemMXBean unix
            ? OptionalLong.of(unix.getMaxFileDescriptorCount())
            : OptionalLong.empty(),
        Path.of("/"),
        Path.of(System.getProperty("java.io.tmpdir", ".")));
  }
}
