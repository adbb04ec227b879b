package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.bindings.nvinfer.trt_InterfaceInfo;
import io.nereid.tensorrt.bindings.nvinfer.trt_delete;
import io.nereid.tensorrt.bindings.nvinfer.trt_getAPILanguage;
import io.nereid.tensorrt.bindings.nvinfer.trt_getInterfaceInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The native side of an interface that TensorRT calls, such as {@code ILogger}: an object whose
 * first word is the pointer to a table of upcalls.
 *
 * <pre>{@code
 * MemorySegment table = trt_IProgressMonitor.allocate(arena);
 * UpcallTable.describe(table, "IProgressMonitor", arena);
 * trt_IProgressMonitor.phaseStart(table, IProgressMonitor_phaseStart.allocate(this::start, arena));
 * MemorySegment monitor = UpcallTable.object(table, arena);
 * }</pre>
 *
 * <p>An exception that leaves an upcall ends the process, so an upcall catches everything.
 */
public final class UpcallTable {
  private static final int C_PLUS_PLUS = 0; // nvinfer1::APILanguage::kCPP
  private static final long WORD = ValueLayout.ADDRESS.byteSize();

  private UpcallTable() {}

  /**
   * Fills the first four entries of the table of an {@code IVersionedInterface}: its language, its
   * name and version 1.0, and two destructors that do nothing, since the object belongs to us.
   *
   * @param arena owns the upcalls; closed after the last call of TensorRT
   */
  public static void describe(MemorySegment table, String name, Arena arena) {
    MemorySegment info = trt_InterfaceInfo.allocate(arena);
    trt_InterfaceInfo.kind(info, arena.allocateFrom(name));
    trt_InterfaceInfo.major(info, 1);
    trt_InterfaceInfo.minor(info, 0);
    set(table, 0, trt_getAPILanguage.allocate(_ -> C_PLUS_PLUS, arena));
    set(table, 1, trt_getInterfaceInfo.allocate(_ -> info, arena));
    MemorySegment nothing = noDestructor(arena);
    set(table, 2, nothing);
    set(table, 3, nothing);
  }

  /** A destructor that does nothing. */
  static MemorySegment noDestructor(Arena arena) {
    return trt_delete.allocate(_ -> {}, arena);
  }

  private static void set(MemorySegment table, int slot, MemorySegment function) {
    table.set(ValueLayout.ADDRESS, slot * WORD, function);
  }

  /** An object with that table and no state of its own. */
  public static MemorySegment object(MemorySegment table, Arena arena) {
    MemorySegment object = arena.allocate(2 * WORD, WORD);
    object.set(ValueLayout.ADDRESS, 0, table);
    return object;
  }
}
