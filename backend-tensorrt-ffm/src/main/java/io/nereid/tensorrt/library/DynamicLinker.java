package io.nereid.tensorrt.library;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The dynamic linker of Linux, by {@code dlopen}. The JDK's {@code SymbolLookup.libraryLookup}
 * would say only that a library cannot be opened; the linker says why.
 */
final class DynamicLinker implements LibraryLoader {
  private static final int RTLD_LAZY = 1; // dlfcn.h
  private static final int RTLD_DI_LINKMAP = 2; // dlfcn.h
  private static final long LINK_MAP_NAME = ADDRESS.byteSize(); // link.h: after l_addr

  private final MethodHandle open =
      link("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));
  private final MethodHandle symbol =
      link("dlsym", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
  private final MethodHandle error = link("dlerror", FunctionDescriptor.of(ADDRESS));
  private final MethodHandle info =
      link("dlinfo", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));

  private static MethodHandle link(String function, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), descriptor);
  }

  @Override
  public NativeLibrary open(String file) throws LibraryLoadException {
    MemorySegment handle;
    String reason = "";
    try (var arena = Arena.ofConfined()) {
      var _ = lastError(); // forgets an earlier one
      handle = (MemorySegment) open.invokeExact(arena.allocateFrom(file), RTLD_LAZY);
      if (handle.address() == 0) {
        reason = lastError();
      }
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected("dlopen", thrown);
    }
    if (!reason.isEmpty()) {
      throw LibraryLoadException.of(file, reason);
    }
    return new NativeLibrary(pathOf(handle, file), name -> find(handle, name));
  }

  private String lastError() {
    try {
      return NativeCalls.text((MemorySegment) error.invokeExact());
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected("dlerror", thrown);
    }
  }

  /** The file of an open library. */
  private String pathOf(MemorySegment handle, String file) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      int status = (int) info.invokeExact(handle, RTLD_DI_LINKMAP, out);
      if (status != 0) {
        return file;
      }
      // link.h: struct link_map { ElfW(Addr) l_addr; char *l_name; ... }
      MemorySegment map = out.get(ADDRESS, 0).reinterpret(2 * ADDRESS.byteSize());
      String path = NativeCalls.text(map.get(ADDRESS, LINK_MAP_NAME));
      return path.isEmpty() ? file : path;
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected("dlinfo", thrown);
    }
  }

  private Optional<MemorySegment> find(MemorySegment handle, String name) {
    try (var arena = Arena.ofConfined()) {
      var found = (MemorySegment) symbol.invokeExact(handle, arena.allocateFrom(name));
      return found.address() == 0 ? Optional.empty() : Optional.of(found);
    } catch (Throwable thrown) {
      throw NativeCalls.unexpected("dlsym", thrown);
    }
  }
}
