package io.nereid.server.memory.region;

import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The shared memory regions that clients have registered, by name. The checks, their order and
 * their texts are those of Triton's {@code shared_memory_manager.cc}. Sizes and offsets are
 * unsigned. Thread-safe.
 *
 * <p>A region that is unregistered while requests use it keeps its name until the last of them has
 * ended, as in Triton: requests may use it and its status is shown. Unlike in Triton the name can
 * be registered again meanwhile; then it means the new region at once.
 */
public final class SharedRegions implements AutoCloseable {
  /** No region, and none can be registered. */
  public static final SharedRegions NONE = disabled();

  private static final System.Logger LOG = System.getLogger(SharedRegions.class.getName());

  /** Objects that Triton makes for its own processes. */
  private static final String RESERVED_PREFIX = "triton_python_backend_shm_region_";

  /** The size of {@code cudaIpcMemHandle_t}: {@code CUDA_IPC_HANDLE_SIZE}. */
  private static final int CUDA_HANDLE_SIZE = 64;

  private final @Nullable LinuxSharedMemory system;
  private final int maxRegions;

  /** What to say where there are no regions. */
  private final String unsupported;

  private final ConcurrentMap<String, Region> regions = new ConcurrentSkipListMap<>();

  private SharedRegions(@Nullable LinuxSharedMemory system, int maxRegions, String unsupported) {
    this.system = system;
    this.maxRegions = maxRegions;
    this.unsupported = unsupported;
  }

  /** Regions that cannot be registered because the server does not allow it. */
  public static SharedRegions disabled() {
    return new SharedRegions(
        null,
        0,
        "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to"
            + " enable.");
  }

  /**
   * Regions of this machine; none can be registered if it does not run Linux.
   *
   * @param maxRegions the limit of their number: each of them keeps a file open
   */
  public static SharedRegions open(int maxRegions) {
    String name = System.getProperty("os.name");
    Optional<LinuxSharedMemory> calls =
        LinuxSharedMemory.calls(name, System.getProperty("os.arch"));
    return new SharedRegions(
        calls.orElse(null),
        maxRegions,
        "Shared memory feature is currently not supported on " + name);
  }

  /**
   * Checks that clients may register and unregister regions.
   *
   * @throws InferenceException UNSUPPORTED if not
   */
  public void requireAllowed() {
    if (system == null) {
      throw InferenceException.unsupported(unsupported);
    }
  }

  /**
   * Registers a system region.
   *
   * @param key the name of an existing shared memory object
   * @param offset where the region begins in the object; a multiple of the page size
   * @throws InferenceException if it cannot be registered; the cases are those of Triton, and
   *     RESOURCE_EXHAUSTED if there are too many regions
   */
  public void register(String name, String key, long offset, long byteSize) {
    requireAllowed();
    checkKey(name, key);
    requireFree(name);
    SharedObject object = SharedObject.open(system(), key);
    boolean registered = false;
    try {
      checkRange(name, object.size(), offset, byteSize);
      registered = put(new RegionStatus(name, key, offset, byteSize), object);
    } finally {
      if (!registered) {
        object.close();
      }
    }
    if (!registered) { // another client was faster
      throw alreadyRegistered(name);
    }
  }

  /**
   * Fails: this server has no access to memory of GPUs in other processes.
   *
   * @param rawHandle a {@code cudaIpcMemHandle_t}
   * @throws InferenceException INVALID_ARGUMENT always, with the text of a Triton without GPUs if
   *     the handle is one
   */
  public void registerCuda(String name, byte[] rawHandle) {
    requireAllowed();
    if (rawHandle.length != CUDA_HANDLE_SIZE) {
      throw InferenceException.invalid(
          "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t");
    }
    throw InferenceException.invalid(
        "failed to register CUDA shared memory region: '%s', GPUs not supported".formatted(name));
  }

  /**
   * Unregisters a region, or all regions of the kind. Requests that use it are not disturbed.
   *
   * @param name empty for all; has no effect if no region of the kind has the name
   */
  public void unregister(RegionKind kind, String name) {
    requireAllowed();
    if (kind == RegionKind.CUDA) {
      return; // there is none
    }
    if (name.isEmpty()) {
      regions.values().forEach(Region::unregister);
    } else {
      Region region = regions.get(name);
      if (region != null) {
        region.unregister();
      }
    }
  }

  /**
   * The registered regions of a kind, by name.
   *
   * @param name empty for all
   * @throws InferenceException NOT_FOUND if the one with the name does not exist or is of the other
   *     kind
   */
  public List<RegionStatus> status(RegionKind kind, String name) {
    if (name.isEmpty()) {
      return kind == RegionKind.CUDA
          ? List.of()
          : regions.values().stream().map(Region::status).toList();
    }
    Region region = regions.get(name);
    if (region == null) {
      throw InferenceException.notFound(
          "Unable to find %s shared memory region: '%s'".formatted(kind.word(), name));
    }
    if (kind == RegionKind.CUDA) {
      throw InferenceException.notFound(
          "The region named '%s' is registered as system shared memory, not CUDA shared memory"
              .formatted(name));
    }
    return List.of(region.status());
  }

  /**
   * A part of a region for a request, owned by the caller.
   *
   * @param offset in the region
   * @throws InferenceException NOT_FOUND if no region has the name, INVALID_ARGUMENT if the part is
   *     not within it
   */
  public RegionSlice slice(String name, long offset, long byteSize) {
    Region region = regions.get(name);
    if (region == null) {
      throw unknown(name);
    }
    long size = region.status().byteSize();
    if (Long.compareUnsigned(offset, size) >= 0) {
      throw InferenceException.invalid(
          "Invalid offset for shared memory region: '%s'".formatted(name));
    }
    if (Long.compareUnsigned(byteSize, -1L - offset) > 0) {
      throw InferenceException.invalid(
          ("Integer overflow detected: byte_size (%s) + offset (%s) exceeds maximum value (%s) for"
                  + " region '%s'")
              .formatted(
                  Long.toUnsignedString(byteSize),
                  Long.toUnsignedString(offset),
                  Long.toUnsignedString(-1L),
                  name));
    }
    if (Long.compareUnsigned(offset + byteSize, size) > 0) {
      throw InferenceException.invalid(
          "Invalid offset + byte size for shared memory region: '%s'".formatted(name));
    }
    if (!region.retain()) {
      throw unknown(name); // it was unregistered meanwhile
    }
    return new RegionSlice(region, offset, byteSize);
  }

  /** Unregisters all regions. The objects belong to the clients, and stay. */
  @Override
  public void close() {
    List<Region> all = new ArrayList<>(regions.values());
    all.forEach(Region::unregister);
    if (!regions.isEmpty()) {
      LOG.log(Level.WARNING, "{0} shared memory regions are still in use", regions.size());
    }
  }

  private LinuxSharedMemory system() {
    requireAllowed();
    return Objects.requireNonNull(system);
  }

  private static void checkKey(String name, String key) {
    int first = 0;
    while (first < key.length() && key.charAt(first) == '/') {
      first++;
    }
    if (first == key.length()) {
      throw InferenceException.invalid(
          "cannot register shared memory region '%s' - invalid shm key '%s'".formatted(name, key));
    }
    if (key.startsWith(RESERVED_PREFIX, first)) {
      throw InferenceException.invalid(
          ("cannot register shared memory region '%s' with key '%s' as the key contains the reserved"
                  + " prefix '%s'")
              .formatted(name, key, RESERVED_PREFIX));
    }
  }

  private void requireFree(String name) {
    Region present = regions.get(name);
    if (present != null && !present.isUnregistered()) {
      throw alreadyRegistered(name);
    }
    if (present == null && regions.size() >= maxRegions) {
      throw new InferenceException(
          StatusCode.RESOURCE_EXHAUSTED,
          "shared memory region '%s' can not be registered: there are %d regions, the limit of the server"
              .formatted(name, maxRegions));
    }
  }

  private void checkRange(String name, long objectSize, long offset, long byteSize) {
    boolean overflows = Long.compareUnsigned(byteSize, -1L - offset) > 0;
    if (overflows || Long.compareUnsigned(offset + byteSize, objectSize) > 0) {
      throw InferenceException.invalid(
          "failed to register shared memory region '%s': invalid args".formatted(name));
    }
    if (byteSize == 0 || offset % system().pageSize() != 0) { // Triton cannot map it: mmap(2)
      throw InferenceException.invalid(
          "failed to register shared memory region '%s': unable to process address space%s"
              .formatted(name, system().errorText(-LinuxSharedMemory.INVALID_ARGUMENT)));
    }
  }

  /** Adds a region, and takes its object, unless the name has one; then returns false. */
  private boolean put(RegionStatus status, SharedObject object) {
    var region = new Region(status, object, this::remove);
    Region present =
        regions.compute(
            status.name(),
            (_, before) -> before == null || before.isUnregistered() ? region : before);
    return region.equals(present);
  }

  private void remove(Region unused) {
    regions.remove(unused.status().name(), unused); // unless the name has another one by now
  }

  private static InferenceException alreadyRegistered(String name) {
    return new InferenceException(
        StatusCode.ALREADY_EXISTS, "shared memory region '%s' already in manager".formatted(name));
  }

  private static InferenceException unknown(String name) {
    return InferenceException.notFound("Unable to find shared memory region: '%s'".formatted(name));
  }
}
