package io.nereid.tck.support;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * Memory that ends where an inaccessible page begins: native code that reads or writes one byte too
 * far ends the process at once, with that address in the report. Needs {@code mmap}.
 */
public final class GuardPageArena implements AutoCloseable {
  private static final long PAGE = 64 * 1024; // a multiple of every page size in use
  private static final int READ_WRITE = 3;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_ANONYMOUS = isMac() ? 0x1000 : 0x20;

  private final Arena arena = Arena.ofShared();

  /** Whether this machine supports it. */
  public static boolean isSupported() {
    return !System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows");
  }

  /**
   * Allocates {@code byteSize} bytes that end at the guard page: aligned as their size is.
   *
   * @return zeroed; invalid once this arena is closed
   */
  public MemorySegment allocate(long byteSize) {
    long usable = (byteSize + PAGE - 1) / PAGE * PAGE;
    MemorySegment pages = Calls.map(usable + PAGE).reinterpret(usable + PAGE);
    MemorySegment guarded = pages.reinterpret(arena, Calls::unmap);
    Calls.forbid(pages.asSlice(usable, PAGE));
    return guarded.asSlice(usable - byteSize, byteSize);
  }

  /** Unmaps all; a later access to a segment throws, or ends the process if it is native. */
  @Override
  public void close() {
    arena.close();
  }

  private static boolean isMac() {
    return System.getProperty("os.name").startsWith("Mac");
  }

  /** The three C functions, bound when first used. */
  private static final class Calls {
    private static final MethodHandle MMAP =
        bind(
            "mmap",
            FunctionDescriptor.of(
                ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MPROTECT =
        bind("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MUNMAP =
        bind("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));

    private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    static MemorySegment map(long byteSize) {
      MemorySegment pages;
      try {
        pages =
            (MemorySegment)
                MMAP.invokeExact(
                    MemorySegment.NULL, byteSize, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
      } catch (Throwable thrown) {
        throw new AssertionError("mmap", thrown);
      }
      if (pages.address() == -1) {
        throw new IllegalStateException("mmap of " + byteSize + " bytes failed");
      }
      return pages;
    }

    static void forbid(MemorySegment page) {
      try {
        check("mprotect", (int) MPROTECT.invokeExact(page, page.byteSize(), 0));
      } catch (Throwable thrown) {
        throw new AssertionError("mprotect", thrown);
      }
    }

    static void unmap(MemorySegment pages) {
      try {
        check("munmap", (int) MUNMAP.invokeExact(pages, pages.byteSize()));
      } catch (Throwable thrown) {
        throw new AssertionError("munmap", thrown);
      }
    }

    private static void check(String function, int status) {
      if (status != 0) {
        throw new IllegalStateException(function + " failed");
      }
    }
  }
}
