package io.nereid.onnx.ort;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;

/**
 * The name by which the dynamic linker of Linux finds a loaded library for those that need it, its
 * {@code DT_SONAME}.
 *
 * <p>ONNX Runtime's is {@code libonnxruntime.so.1} in version after version, and a second library
 * of its Java API needs it. The linker takes the first that was loaded with the name. If that is
 * this backend's and has another version, it lacks the symbol version that the Java API needs,
 * which then cannot be loaded; if it has the same, both share one environment, with the log and the
 * threads of the first. Without its name this backend's library is found by its file only.
 */
final class Soname {
  private static final long RTLD_LAZY_NOLOAD = 1 | 4; // dlfcn.h
  private static final long RTLD_DI_LINKMAP = 2; // dlfcn.h
  private static final long DT_NULL = 0; // elf.h
  private static final long DT_SONAME = 14; // elf.h
  private static final long PROT_READ = 1; // sys/mman.h
  private static final long PROT_WRITE = 2; // sys/mman.h
  private static final long ENTRY_SIZE = 2 * JAVA_LONG.byteSize();

  /** So many entries a dynamic section has at most; ONNX Runtime's has about 40. */
  private static final int MAX_ENTRIES = 1024;

  private Soname() {}

  /**
   * Takes its name from a library that is loaded. Without effect on systems other than Linux, which
   * have no such names, and where the linker's table cannot be changed.
   */
  @SuppressWarnings("LockOnNonEnclosingClassLiteral") // each class loader has its own Soname
  static void hide(Path library) {
    if (!System.getProperty("os.name", "").startsWith("Linux")) {
      return;
    }
    synchronized (Linker.class) {
      try (var arena = Arena.ofConfined()) {
        MemorySegment entries = dynamicSection(arena, library);
        for (long at = 0; entries.get(JAVA_LONG, at) != DT_NULL; at += ENTRY_SIZE) {
          if (entries.get(JAVA_LONG, at) == DT_SONAME) {
            clear(entries.asSlice(at + JAVA_LONG.byteSize(), JAVA_LONG));
          }
        }
      } catch (IOException | IndexOutOfBoundsException | NoSuchElementException unchanged) {
        System.getLogger(Soname.class.getName())
            .log(Level.DEBUG, "the dynamic linker keeps the name of " + library, unchanged);
      }
    }
  }

  /**
   * An array of {@code Elf64_Dyn}: pairs of {@code d_tag} and {@code d_val}, {@code DT_NULL} last.
   */
  private static MemorySegment dynamicSection(Arena arena, Path library) throws IOException {
    long handle =
        call("dlopen", arena.allocateFrom(library.toString()).address(), RTLD_LAZY_NOLOAD, 0);
    MemorySegment out = arena.allocate(ADDRESS);
    if (handle == 0 || (int) call("dlinfo", handle, RTLD_DI_LINKMAP, out.address()) != 0) {
      throw new IOException("it is not loaded");
    }
    // link.h: struct link_map { ElfW(Addr) l_addr; char *l_name; ElfW(Dyn) *l_ld; ... }
    MemorySegment map = out.get(ADDRESS, 0).reinterpret(3 * ADDRESS.byteSize());
    return map.getAtIndex(ADDRESS, 2).reinterpret(MAX_ENTRIES * ENTRY_SIZE);
  }

  /**
   * Sets the offset of the name to that of the empty one, with which each table of names begins.
   */
  private static void clear(MemorySegment offset) throws IOException {
    if (offset.get(JAVA_LONG, 0) == 0) {
      return;
    }
    boolean isWritable = isWritable(offset.address());
    long page = -(long) (int) call("getpagesize", 0, 0, 0) & offset.address();
    long size = offset.address() + offset.byteSize() - page;
    if (!isWritable && (int) call("mprotect", page, size, PROT_READ | PROT_WRITE) != 0) {
      throw new IOException("its table is read-only");
    }
    offset.set(JAVA_LONG, 0, 0);
    if (!isWritable) {
      call("mprotect", page, size, PROT_READ); // as the linker has left it
    }
  }

  private static boolean isWritable(long address) throws IOException {
    // proc(5): 7f0c4a000000-7f0c4a021000 rw-p 00000000 00:00 0
    try (BufferedReader ranges = Files.newBufferedReader(Path.of("/proc/self/maps"))) {
      for (String range = ranges.readLine(); range != null; range = ranges.readLine()) {
        int dash = range.indexOf('-');
        int blank = range.indexOf(' ');
        if (Long.compareUnsigned(Long.parseUnsignedLong(range, dash + 1, blank, 16), address) > 0) {
          return range.startsWith("rw", blank + 1); // they ascend
        }
      }
      return false;
    }
  }

  private static long call(String function, long a, long b, long c) {
    return Downcalls.call(Downcalls.function(function).orElseThrow(), a, b, c);
  }
}
