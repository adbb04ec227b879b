package io.nereid.onnx.ort;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The loaded and initialised ONNX Runtime library, which all sessions share. It must be closed
 * after its sessions. Usable from any thread.
 */
public final class OrtEnvironment implements AutoCloseable {
  private static final int DEVICE_ALLOCATOR = 0; // OrtDeviceAllocator
  private static final int DEFAULT_MEMORY = 0; // OrtMemTypeDefault
  private static final long CREATION_STACK = 256L << 20;

  private final OrtApi api;
  private final OrtHandle environment;
  private final OrtHandle cpuMemory;
  private final AtomicInteger sessions = new AtomicInteger();
  private final boolean sharedThreads;
  private volatile boolean loadsCancelled;

  private OrtEnvironment(OrtApi api, OrtHandle environment, boolean sharedThreads) {
    this.api = api;
    this.environment = environment;
    this.sharedThreads = sharedThreads;
    this.cpuMemory =
        new OrtHandle(
            api,
            OrtHandle.Kind.MEMORY_INFO,
            api.create(OrtApi.CREATE_CPU_MEMORY_INFO, DEVICE_ALLOCATOR, DEFAULT_MEMORY));
  }

  /**
   * Thread pools that all sessions share instead of starting their own.
   *
   * @param intraOp number of threads within an operator; 0 for the number of cores
   * @param interOp number of threads across operators; 0 for the number of cores
   */
  public record SharedThreads(int intraOp, int interOp) {}

  /**
   * Loads the library as {@link OrtLibrary} describes and creates an environment.
   *
   * @param cache directory for a copy of a library that is inside a jar; empty for the user's
   * @param telemetry whether ONNX Runtime may record its use and report it to its vendor; {@code
   *     true} leaves the choice to ONNX Runtime and to the process's environment
   * @throws IOException if there is no usable library; the message names the places or the file
   */
  public static OrtEnvironment open(
      Optional<Path> library,
      Optional<Path> cache,
      Optional<SharedThreads> threads,
      boolean telemetry)
      throws IOException {
    if (!telemetry) {
      // OrtApi's DisableTelemetryEvents needs an environment, whose creation starts the telemetry
      // and writes its first files.
      Downcalls.setEnvironmentVariable("ORT_DISABLE_TELEMETRY", "1");
    }
    OrtApi api = OrtLibrary.load(library, cache);
    return onDeepStack(() -> create(api, threads));
  }

  private static OrtEnvironment create(OrtApi api, Optional<SharedThreads> threads) {
    try (var arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(OrtLog.ENVIRONMENT).address();
      long address =
          threads.isPresent()
              ? createWithThreads(api, name, threads.get())
              : api.create(
                  OrtApi.CREATE_ENV_WITH_CUSTOM_LOGGER,
                  OrtLog.address(),
                  0,
                  OrtLog.severity(),
                  name);
      var environment = new OrtHandle(api, OrtHandle.Kind.ENVIRONMENT, address);
      return new OrtEnvironment(api, environment, threads.isPresent());
    }
  }

  /**
   * Runs {@code creation} on a thread with a large stack. When it creates an environment, the
   * library parses the command line of the process with a recursion whose depth grows with its
   * length. On the default stack of 1 MiB, a class path of 4,000 characters crashes the process; on
   * 2 MiB, one of 7,000. The stack is reserved address space and uses memory only as it grows.
   */
  private static OrtEnvironment onDeepStack(Callable<OrtEnvironment> creation) {
    var task = new FutureTask<OrtEnvironment>(creation);
    new Thread(null, task, "ort environment", CREATION_STACK).start();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException again) {
          interrupted = true; // the environment that is being created needs an owner
        }
      }
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(failed.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static long createWithThreads(OrtApi api, long name, SharedThreads threads) {
    try (var options =
        new OrtHandle(
            api, OrtHandle.Kind.THREADING_OPTIONS, api.create(OrtApi.CREATE_THREADING_OPTIONS))) {
      api.call(OrtApi.SET_GLOBAL_INTRA_OP_NUM_THREADS, options.address(), threads.intraOp());
      api.call(OrtApi.SET_GLOBAL_INTER_OP_NUM_THREADS, options.address(), threads.interOp());
      return api.create(
          OrtApi.CREATE_ENV_WITH_CUSTOM_LOGGER_AND_GLOBAL_THREAD_POOLS,
          OrtLog.address(),
          0,
          OrtLog.severity(),
          name,
          options.address());
    }
  }

  /** Options for a session; the caller closes them. */
  public OrtSessionOptions options() {
    return new OrtSessionOptions(api, sharedThreads);
  }

  /**
   * Loads a model.
   *
   * @param options borrowed
   * @throws OrtException if ONNX Runtime cannot load it, or the calling thread is interrupted
   */
  public OrtSession open(Path model, OrtSessionOptions options) {
    try (var _ = new LoadWatch(options, () -> loadsCancelled)) {
      return OrtSession.open(this, model, options);
    }
  }

  /** Has all sessions fail that are being opened, and later ones that take long. */
  public void cancelLoads() {
    loadsCancelled = true;
  }

  /** The file of the native library. */
  public Path library() {
    return api.file();
  }

  /** The names of the execution providers that the library was built with. */
  public List<String> availableProviders() {
    return api.availableProviders();
  }

  /** The library's version, such as {@code 1.29.0}. */
  public String libraryVersion() {
    return api.libraryVersion();
  }

  /**
   * Whether the library is of a version that takes an address of memory in a model's file for the
   * place of its data, and reads the process's memory there, or crashes.
   */
  public boolean readsAddresses() {
    return OrtLibrary.isBefore(28, libraryVersion());
  }

  /** The number of objects of the library in this process that are not released. */
  public static long openHandles() {
    return OrtHandle.open();
  }

  OrtApi api() {
    return api;
  }

  long address() {
    return environment.address();
  }

  long cpuMemory() {
    return cpuMemory.address();
  }

  void sessionOpened() {
    sessions.incrementAndGet();
  }

  void sessionClosed() {
    sessions.decrementAndGet();
  }

  /**
   * @throws IllegalStateException if a session is still open
   */
  @Override
  public void close() {
    int open = sessions.get();
    if (open > 0) {
      throw new IllegalStateException(open + " sessions are still open");
    }
    cpuMemory.close();
    environment.close();
  }
}
