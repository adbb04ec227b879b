package io.nereid.tck.backend;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.spi.ModelFiles;
import io.nereid.tck.model.OpenBackend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * What this process and a backend in it hold.
 *
 * @param threads platform threads of the JVM, and native ones where the system tells them
 * @param files open files, or 0 where the system does not tell
 * @param storedFiles entries of the folder for temporary files and of those of the model
 * @param metrics that the backend has registered, each with its labels
 * @param heapBytes the heap after a collection
 * @param nativeBytes what {@code malloc} of glibc has allocated; 0 with another library
 */
record ProcessUsage(
    long threads, long files, long storedFiles, long metrics, long heapBytes, long nativeBytes) {
  private static final Optional<MethodHandle> MALLINFO = mallinfo();

  /** A time in which what the collection has found is freed. */
  private static final long CLEANERS_NANOS = 2_000_000;

  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  private static final int MAPPED_BYTES = 4;
  private static final int USED_BYTES = 7;

  /** Measures it; collects garbage first. */
  static ProcessUsage now(OpenBackend backend) {
    var memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    LockSupport.parkNanos(CLEANERS_NANOS);
    long heapBytes = memory.getHeapMemoryUsage().getUsed();
    ModelFiles model = backend.tested().files();
    return new ProcessUsage(
        entries(Path.of("/proc/self/task"))
            .orElse((long) ManagementFactory.getThreadMXBean().getThreadCount()),
        entries(Path.of("/proc/self/fd")).orElse(0L),
        Stream.of(TEMPORARY, model.modelDirectory(), model.versionDirectory())
            .mapToLong(folder -> entries(folder).orElse(0L))
            .sum(),
        backend.metrics().families().stream().mapToLong(family -> family.samples().size()).sum(),
        heapBytes,
        nativeBytesNow());
  }

  private static Optional<Long> entries(Path directory) {
    try (var entries = Files.list(directory)) {
      return Optional.of(entries.count());
    } catch (IOException noSuchDirectory) {
      return Optional.empty();
    }
  }

  private static long nativeBytesNow() {
    if (MALLINFO.isEmpty()) {
      return 0;
    }
    try (var arena = Arena.ofConfined()) {
      var info = (MemorySegment) MALLINFO.get().invokeExact((SegmentAllocator) arena);
      return info.getAtIndex(JAVA_LONG, MAPPED_BYTES) + info.getAtIndex(JAVA_LONG, USED_BYTES);
    } catch (Throwable thrown) {
      throw new AssertionError("mallinfo2", thrown);
    }
  }

  private static Optional<MethodHandle> mallinfo() {
    Linker linker = Linker.nativeLinker();
    // struct mallinfo2 of glibc: ten numbers
    StructLayout info = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10, JAVA_LONG));
    return linker
        .defaultLookup()
        .find("mallinfo2")
        .map(function -> linker.downcallHandle(function, FunctionDescriptor.of(info)));
  }
}
