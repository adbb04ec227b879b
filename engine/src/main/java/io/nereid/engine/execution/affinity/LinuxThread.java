package io.nereid.engine.execution.affinity;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.nereid.error.InferenceException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;

/**
 * Calls of Linux about the calling thread: {@code sched_setaffinity(2)} and {@code
 * set_mempolicy(2)}. The C library has no function for the latter, so it is called by its number.
 */
final class LinuxThread {
  /** The number of {@code set_mempolicy}, by the name of the architecture. */
  private static final Map<String, Long> SET_MEMPOLICY = Map.of("amd64", 238L, "aarch64", 237L);

  /** {@code MPOL_BIND} of {@code numaif.h}: memory of these nodes only. */
  private static final int BIND = 2;

  private static final long THIS_THREAD = 0;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();

  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MethodHandle setAffinity;
  private final MethodHandle systemCall;
  private final MethodHandle errorText;
  private final long setMempolicy;

  private LinuxThread(Linker linker, SymbolLookup library, long setMempolicy) {
    Linker.Option withErrno = Linker.Option.captureCallState("errno");
    this.setAffinity =
        linker.downcallHandle(
            library.findOrThrow("sched_setaffinity"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
            withErrno);
    this.systemCall =
        linker.downcallHandle(
            library.findOrThrow("syscall"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
            withErrno,
            Linker.Option.firstVariadicArg(1));
    this.errorText =
        linker.downcallHandle(
            library.findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
    this.setMempolicy = setMempolicy;
  }

  /**
   * The calls of this machine; empty if it does not run Linux, or its numbers are not known.
   *
   * @param system the system property {@code os.name}
   * @param architecture the system property {@code os.arch}
   */
  static Optional<LinuxThread> calls(String system, String architecture) {
    Long setMempolicy = SET_MEMPOLICY.get(architecture);
    if (setMempolicy == null || !system.equals("Linux")) {
      return Optional.empty();
    }
    Linker linker = Linker.nativeLinker();
    return Optional.of(new LinuxThread(linker, linker.defaultLookup(), setMempolicy));
  }

  /**
   * Lets the calling thread run on these processors only.
   *
   * @throws InferenceException INTERNAL if the machine has none of them
   */
  void setAffinity(BitSet cores) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment mask = mask(arena, cores);
      MemorySegment state = arena.allocate(STATE);
      int status;
      try {
        status = (int) setAffinity.invokeExact(state, (int) THIS_THREAD, mask.byteSize(), mask);
      } catch (Throwable thrown) {
        throw unexpected("sched_setaffinity", thrown);
      }
      check(status, state, "Unable to set NUMA thread affinity");
    }
  }

  /**
   * Has the calling thread allocate memory in a node only.
   *
   * @throws InferenceException INTERNAL if there is no such node, or the process may not do that
   */
  void bindMemory(int node) {
    var nodes = new BitSet();
    nodes.set(node);
    try (var arena = Arena.ofConfined()) {
      MemorySegment mask = mask(arena, nodes);
      MemorySegment state = arena.allocate(STATE);
      long bits = mask.byteSize() * Byte.SIZE + 1; // the kernel ignores the last
      long status;
      try {
        status = (long) systemCall.invokeExact(state, setMempolicy, (long) BIND, mask, bits);
      } catch (Throwable thrown) {
        throw unexpected("set_mempolicy", thrown);
      }
      check(status, state, "Unable to set NUMA memory policy");
    }
  }

  /** A bit for each number, in words of the kernel. */
  private static MemorySegment mask(Arena arena, BitSet numbers) {
    return arena.allocateFrom(JAVA_LONG, numbers.toLongArray());
  }

  private void check(long status, MemorySegment state, String failure) {
    if (status != 0) {
      int error = (int) ERRNO.get(state, 0L);
      throw InferenceException.internal("%s: %s".formatted(failure, text(error)));
    }
  }

  private String text(int error) {
    try {
      var text = (MemorySegment) errorText.invokeExact(error);
      return text.reinterpret(Long.MAX_VALUE).getString(0); // strerror(3): "a string", so it ends
    } catch (Throwable thrown) {
      throw unexpected("strerror", thrown);
    }
  }

  private static IllegalStateException unexpected(String function, Throwable thrown) {
    return new IllegalStateException(function + " could not be called", thrown);
  }
}
