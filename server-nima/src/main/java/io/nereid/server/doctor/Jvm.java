package io.nereid.server.doctor;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The JVM that this process runs in.
 *
 * @param version the feature release, such as 25
 * @param text version and vendor
 * @param arguments the options of the JVM, without those of the program
 * @param nativeAccess whether code on the class path and in backends may call native functions
 *     without a warning
 * @param processors that the JVM uses
 * @param maxHeap in bytes
 */
record Jvm(
    int version,
    String text,
    List<String> arguments,
    boolean nativeAccess,
    int processors,
    long maxHeap) {
  Jvm {
    arguments = List.copyOf(arguments);
  }

  static Jvm current() {
    return new Jvm(
        Runtime.version().feature(),
        "%s, %s".formatted(Runtime.version(), System.getProperty("java.vendor", "unknown vendor")),
        ManagementFactory.getRuntimeMXBean().getInputArguments(),
        Jvm.class.getModule().isNativeAccessEnabled(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.getRuntime().maxMemory());
  }
}
