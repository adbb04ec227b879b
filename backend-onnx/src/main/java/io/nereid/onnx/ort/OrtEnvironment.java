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
 * ONNX Runtime, loaded and initialised: what all sessions share. Close it last. Usable from any
 * thread.
 */
public final class OrtEnvironment implements AutoCloseable {
  private static final int WARNING = 2; // ORT_LOGGING_LEVEL_WARNING
  private static final int DEVICE_ALLOCATOR = 0; // OrtDeviceAllocator
  private static final int DEFAULT_MEMORY = 0; // OrtMemTypeDefault
  private static final long CREATION_STACK = 256L << 20;

  private final OrtApi api;
  private final NativeHandle environment;
  private final NativeHandle cpuMemory;
  private final AtomicInteger sessions = new AtomicInteger();
  private final boolean sharedThreads;

  private OrtEnvironment(OrtApi api, NativeHandle environment, boolean sharedThreads) {
    this.api = api;
    this.environment = environment;
    this.sharedThreads = sharedThreads;
    this.cpuMemory =
        new NativeHandle(
            api,
            NativeHandle.Kind.MEMORY_INFO,
            api.create(OrtApi.CREATE_CPU_MEMORY_INFO, DEVICE_ALLOCATOR, DEFAULT_MEMORY));
  }

  /**
   * Threads that all sessions share instead of starting their own.
   *
   * @param intraOp within an operator; 0 for as many as there are cores
   * @param interOp across operators; 0 likewise
   */
  public record SharedThreads(int intraOp, int interOp) {}

  /**
   * Loads the library; see {@link OrtLibrary}.
   *
   * @param telemetry whether ONNX Runtime may record its use and report it to its vendor; {@code
   *     true} leaves the choice to ONNX Runtime and to the process's environment
   * @throws IOException if there is none that can be used; the message names what was tried
   */
  public static OrtEnvironment open(
      Optional<Path> library, Path cache, Optional<SharedThreads> threads, boolean telemetry)
      throws IOException {
    if (!telemetry) {
      // Creating an environment starts the telemetry, so OrtApi's DisableTelemetryEvents, which
      // needs one, comes after its first files and look-ups.
      Downcalls.setEnvironmentVariable("ORT_DISABLE_TELEMETRY", "1");
    }
    OrtApi api = OrtLibrary.load(library, cache);
    return onDeepStack(() -> create(api, threads));
  }

  private static OrtEnvironment create(OrtApi api, Optional<SharedThreads> threads) {
    try (var arena = Arena.ofConfined()) {
      long name = arena.allocateFrom("nereid").address();
      long address =
          threads.isPresent()
              ? createWithThreads(api, name, threads.get())
              : api.create(OrtApi.CREATE_ENV, WARNING, name);
      var environment = new NativeHandle(api, NativeHandle.Kind.ENVIRONMENT, address);
      return new OrtEnvironment(api, environment, threads.isPresent());
    }
  }

  /**
   * Runs {@code creation} on a thread with a deep stack. Creating an environment, the library reads
   * the process's command line and recurses with its length: on a Java thread's megabyte a class
   * path of 4,000 characters ends the process without a word (two megabytes carry 7,000). The stack
   * is address space; only what is used of it becomes memory.
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
          interrupted = true; // what is being created has to be owned by somebody
        }
      }
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof RuntimeException refused) {
        throw refused;
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
        new NativeHandle(
            api,
            NativeHandle.Kind.THREADING_OPTIONS,
            api.create(OrtApi.CREATE_THREADING_OPTIONS))) {
      api.call(OrtApi.SET_GLOBAL_INTRA_OP_NUM_THREADS, options.address(), threads.intraOp());
      api.call(OrtApi.SET_GLOBAL_INTER_OP_NUM_THREADS, options.address(), threads.interOp());
      return api.create(
          OrtApi.CREATE_ENV_WITH_GLOBAL_THREAD_POOLS, WARNING, name, options.address());
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
   * @throws OrtException if ONNX Runtime cannot load it
   */
  public OrtSession open(Path model, OrtSessionOptions options) {
    return OrtSession.open(this, model, options);
  }

  /** The execution providers that the library was built with, as ONNX Runtime names them. */
  public List<String> availableProviders() {
    return api.availableProviders();
  }

  /** The library's version, such as {@code 1.29.0}. */
  public String libraryVersion() {
    return api.libraryVersion();
  }

  /** How many objects of the library are owned in this process and not released yet. */
  public static long openHandles() {
    return NativeHandle.open();
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
   * @throws IllegalStateException if a session is still open: it uses what would be freed
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
