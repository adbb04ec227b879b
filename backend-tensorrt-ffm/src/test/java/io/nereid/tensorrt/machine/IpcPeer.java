package io.nereid.tensorrt.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.cuda.CudaIpc;
import io.nereid.tensorrt.cuda.CudaStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The other process of a test of CUDA IPC. It reads the handle of memory, tries to open more than
 * there is, prints a checksum of the memory, fills it, and closes it when told to.
 */
final class IpcPeer {
  static final byte FILL = 0x3C;

  /** Beyond the blocks in which CUDA allocates. */
  private static final long BEYOND = 1L << 30;

  private IpcPeer() {}

  /**
   * Runs the process.
   *
   * @param arguments the file of the CUDA runtime; empty for the one of the system
   */
  public static void main(String[] arguments) throws IOException {
    run(
        RealGpu.require(arguments[0]),
        new BufferedReader(new InputStreamReader(System.in, UTF_8)),
        System.out);
  }

  static void run(CudaDevice device, BufferedReader in, PrintStream out) throws IOException {
    device.use();
    byte[] memoryHandle = HexFormat.of().parseHex(in.readLine());
    long size = Long.parseLong(in.readLine());
    requireRefused(device, memoryHandle, size + BEYOND);
    try (var memory = CudaIpc.openMemory(device, memoryHandle, size);
        var stream = CudaStream.create(0);
        var arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocate(size);
      stream.copyToHost(content, memory.buffer(), 0, size);
      stream.synchronize();
      out.println(checksum(content));
      stream.fill(memory.buffer(), 0, size, FILL);
      stream.synchronize();
      out.println("filled");
      String last = in.readLine();
      if (!last.equals("close")) {
        throw new IllegalStateException(last);
      }
    }
    out.println("closed");
  }

  /** More than the other process has allocated: the driver tells how much that is. */
  private static void requireRefused(CudaDevice device, byte[] handle, long size) {
    boolean refused = false;
    try (var memory = CudaIpc.openMemory(device, handle, size)) {
      System.err.println(memory.buffer().byteSize() + " bytes are open");
    } catch (IllegalArgumentException tooMuch) {
      refused = true;
    }
    if (!refused) {
      throw new IllegalStateException(size + " bytes are not refused");
    }
  }

  static String checksum(MemorySegment content) {
    var checksum = new CRC32C();
    checksum.update(content.toArray(ValueLayout.JAVA_BYTE));
    return Long.toHexString(checksum.getValue());
  }
}
