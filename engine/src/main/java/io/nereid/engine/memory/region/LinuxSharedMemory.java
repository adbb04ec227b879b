package io.nereid.engine.memory.region;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.engine.memory.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * The calls of Linux for POSIX shared memory objects and their bytes. A call that fails returns a
 * negative error number, {@code errno(3)}.
 */
final class LinuxSharedMemory {
  static final int INVALID_ARGUMENT = 22; // EINVAL

  private static final int O_RDWR = 2;
  private static final int NO_MODE = 0;
  private static final int SEEK_END = 2;

  private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERROR_NUMBER =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MethodHandle open;
  private final MethodHandle seek;
  private final MethodHandle read;
  private final MethodHandle write;
  private final MethodHandle close;
  private final MethodHandle pageSize;
  private final MethodHandle errorText;

  private LinuxSharedMemory(Linker linker, SymbolLookup library) {
    open =
        linker.downcallHandle(
            library.findOrThrow("shm_open"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            ERRNO);
    seek =
        linker.downcallHandle(
            library.findOrThrow("lseek"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT),
            ERRNO);
    var transfer = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    read = linker.downcallHandle(library.findOrThrow("pread"), transfer, ERRNO);
    write = linker.downcallHandle(library.findOrThrow("pwrite"), transfer, ERRNO);
    close =
        linker.downcallHandle(
            library.findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);
    pageSize =
        linker.downcallHandle(library.findOrThrow("getpagesize"), FunctionDescriptor.of(JAVA_INT));
    errorText =
        linker.downcallHandle(
            library.findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
  }

  /**
   * The calls of this machine; empty if it does not run Linux, or its constants are not known.
   *
   * @param system the system property {@code os.name}
   * @param architecture the system property {@code os.arch}
   */
  static Optional<LinuxSharedMemory> calls(String system, String architecture) {
    if (!Linux.isKnown(system, architecture)) {
      return Optional.empty();
    }
    Linker linker = Linker.nativeLinker();
    SymbolLookup library = linker.defaultLookup();
    if (library.find("shm_open").isEmpty()) { // glibc before 2.34
      library = SymbolLookup.libraryLookup("librt.so.1", Arena.global()).or(library);
    }
    return Optional.of(new LinuxSharedMemory(linker, library));
  }

  /** Opens an object for reading and writing; returns its file descriptor. */
  int open(String key) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int file = (int) open.invokeExact(state, arena.allocateFrom(key), O_RDWR, NO_MODE);
      return file < 0 ? -errno(state) : file;
    } catch (Throwable thrown) {
      throw unexpected("shm_open", thrown);
    }
  }

  /** The size of an open object now. */
  long size(int file) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long size = (long) seek.invokeExact(state, file, 0L, SEEK_END);
      return size < 0 ? -errno(state) : size;
    } catch (Throwable thrown) {
      throw unexpected("lseek", thrown);
    }
  }

  /** Reads some bytes, at least one; 0 at the end of the object. */
  long read(int file, MemorySegment target, long offset) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long count = (long) read.invokeExact(state, file, target, target.byteSize(), offset);
      return count < 0 ? -errno(state) : count;
    } catch (Throwable thrown) {
      throw unexpected("pread", thrown);
    }
  }

  /** Writes some bytes, at least one. */
  long write(int file, MemorySegment source, long offset) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long count = (long) write.invokeExact(state, file, source, source.byteSize(), offset);
      return count < 0 ? -errno(state) : count;
    } catch (Throwable thrown) {
      throw unexpected("pwrite", thrown);
    }
  }

  /** Returns 0 or an error, after which the descriptor is closed as well, {@code close(2)}. */
  int close(int file) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int status = (int) close.invokeExact(state, file);
      return status < 0 ? -errno(state) : status;
    } catch (Throwable thrown) {
      throw unexpected("close", thrown);
    }
  }

  int pageSize() {
    try {
      return (int) pageSize.invokeExact();
    } catch (Throwable thrown) {
      throw unexpected("getpagesize", thrown);
    }
  }

  /** The system's text for an error number, given as the other methods return it. */
  String errorText(long negativeError) {
    try {
      MemorySegment text = (MemorySegment) errorText.invokeExact((int) -negativeError);
      return text.reinterpret(Long.MAX_VALUE).getString(0); // strerror(3): "a pointer to a string"
    } catch (Throwable thrown) {
      throw unexpected("strerror", thrown);
    }
  }

  private static int errno(MemorySegment state) {
    return (int) ERROR_NUMBER.get(state, 0L);
  }

  private static IllegalStateException unexpected(String function, Throwable thrown) {
    return new IllegalStateException(function + " could not be called", thrown);
  }
}
