package io.nereid.server.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Anonymous memory of Linux, {@code mmap(2)}. The kernel fills a page with zeros when it is first
 * touched, so a mapping takes microseconds whatever its size, and what is never touched takes no
 * memory. {@link Arena#allocate} would write zeros to all of it, on the calling thread. What is
 * unmapped belongs to the system again, while {@code free(3)} may keep it.
 */
final class LinuxMappings {
  private static final int PROT_READ = 0x1;
  private static final int PROT_WRITE = 0x2;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int NO_FILE = -1;
  private static final long MAP_FAILED = -1;

  private final MethodHandle map;
  private final MethodHandle unmap;

  private LinuxMappings(Linker linker, SymbolLookup library) {
    map =
        linker.downcallHandle(
            library.findOrThrow("mmap"),
            FunctionDescriptor.of(
                ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    unmap =
        linker.downcallHandle(
            library.findOrThrow("munmap"), FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
  }

  /**
   * The calls of this machine; empty if it does not run Linux, or its constants are not known.
   *
   * @param system the system property {@code os.name}
   * @param architecture the system property {@code os.arch}
   */
  static Optional<LinuxMappings> calls(String system, String architecture) {
    if (!Linux.isKnown(system, architecture)) {
      return Optional.empty();
    }
    Linker linker = Linker.nativeLinker();
    return Optional.of(new LinuxMappings(linker, linker.defaultLookup()));
  }

  /**
   * Maps memory that is unmapped when the arena is closed.
   *
   * @param byteSize above 0
   * @return the memory, aligned to a page; empty if the system has none left
   */
  Optional<MemorySegment> map(long byteSize, Arena arena) {
    MemorySegment mapped;
    try {
      mapped =
          (MemorySegment)
              map.invokeExact(
                  MemorySegment.NULL,
                  byteSize,
                  PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS,
                  NO_FILE,
                  0L);
    } catch (Throwable thrown) {
      throw new IllegalStateException("mmap could not be called", thrown);
    }
    if (mapped.address() == MAP_FAILED) {
      return Optional.empty();
    }
    // mmap(2): "a pointer to the mapped area", of the length that was given
    return Optional.of(mapped.reinterpret(byteSize, arena, this::unmap));
  }

  private void unmap(MemorySegment mapping) {
    int status;
    try {
      status = (int) unmap.invokeExact(mapping, mapping.byteSize());
    } catch (Throwable thrown) {
      throw new IllegalStateException("munmap could not be called", thrown);
    }
    if (status != 0) {
      throw new IllegalStateException("munmap failed for " + mapping);
    }
  }
}
