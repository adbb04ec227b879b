package io.nereid.engine.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
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

  private final MethodHandle call;
  private final MemorySegment mmap;
  private final MemorySegment munmap;

  /**
   * Both functions are called with eight words. The calling conventions of Linux pass pointers and
   * integers as 64-bit words, and a function reads as many as it has parameters. Each further type
   * of a handle would take milliseconds of a start; the backend of ONNX Runtime has this one.
   */
  private LinuxMappings(Linker linker, SymbolLookup library) {
    var words = Collections.nCopies(8, JAVA_LONG).toArray(MemoryLayout[]::new);
    call = linker.downcallHandle(FunctionDescriptor.of(JAVA_LONG, words));
    mmap = library.findOrThrow("mmap");
    munmap = library.findOrThrow("munmap");
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
    long address =
        call(mmap, 0, byteSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, NO_FILE, 0);
    // mmap(2): "a pointer to the mapped area", of the length that was given
    return address == MAP_FAILED
        ? Optional.empty()
        : Optional.of(MemorySegment.ofAddress(address).reinterpret(byteSize, arena, this::unmap));
  }

  private void unmap(MemorySegment mapping) {
    long status = call(munmap, mapping.address(), mapping.byteSize(), 0, 0, 0, 0);
    if ((int) status != 0) { // the upper half of an int's word is undefined
      throw new IllegalStateException("munmap failed for " + mapping);
    }
  }

  private long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) call.invokeExact(function, a, b, c, d, e, f, 0L, 0L);
    } catch (Throwable thrown) {
      throw new IllegalStateException("a call of " + function + " failed", thrown);
    }
  }
}
