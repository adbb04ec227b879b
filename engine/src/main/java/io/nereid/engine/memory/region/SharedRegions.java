package io.nereid.engine.memory.region;

import io.nereid.engine.memory.ClientCounts;
import io.nereid.engine.memory.ClientCounts.Excess;
import io.nereid.engine.memory.ClientKey;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.SharedDeviceMemory;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
  /** No region, and none can be registered, because the server does not allow it. */
  public static final SharedRegions NONE =
      new SharedRegions(
          null,
          DeviceMemoryOpener.NONE,
          0,
          "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to"
              + " enable.",
          null);

  /** The size of {@code cudaIpcMemHandle_t}: {@code CUDA_IPC_HANDLE_SIZE}. */
  public static final int CUDA_HANDLE_SIZE = 64;

  /** The most characters of a name or of a key. */
  static final int MAX_NAME_LENGTH = 1024;

  private static final System.Logger LOG = System.getLogger(SharedRegions.class.getName());

  /** Null where there can be no regions. */
  private final @Nullable SharedObjects objects;

  private final DeviceMemoryOpener devices;

  /** Registered regions, and those that have lost their names while requests use them. */
  private final int maxRegions;

  private final ClientCounts counts;

  /** What to say where there are no regions. */
  private final String unsupported;

  /** Why no request may use a region; null if they may. */
  private final @Nullable Supplier<? extends RuntimeException> denial;

  private final ConcurrentMap<String, Region> regions = new ConcurrentSkipListMap<>();

  private final AtomicInteger systemRegions = new AtomicInteger();
  private final AtomicInteger deviceRegions = new AtomicInteger();

  private SharedRegions(
      @Nullable SharedObjects objects,
      DeviceMemoryOpener devices,
      int maxRegions,
      String unsupported,
      @Nullable Supplier<? extends RuntimeException> denial) {
    this.denial = denial;
    this.objects = objects;
    this.devices = devices;
    this.maxRegions = maxRegions;
    this.counts = ClientCounts.ofFree(maxRegions);
    this.unsupported = unsupported;
  }

  /**
   * Stands for the regions of others, for requests that may not use these.
   *
   * @param denial what {@link #slice} throws
   */
  public static SharedRegions denied(Supplier<? extends RuntimeException> denial) {
    return new SharedRegions(null, DeviceMemoryOpener.NONE, 0, "", denial);
  }

  /**
   * Regions of this machine; none can be registered if it does not run Linux.
   *
   * @param maxRegions the limit of their number, of which a client has a share: each system region
   *     keeps a file open
   * @param devices opens the memory of CUDA regions
   */
  public static SharedRegions open(int maxRegions, DeviceMemoryOpener devices) {
    String name = System.getProperty("os.name");
    Optional<LinuxSharedMemory> calls =
        LinuxSharedMemory.calls(name, System.getProperty("os.arch"));
    return new SharedRegions(
        calls.map(SharedObjects::new).orElse(null),
        devices,
        maxRegions,
        "Shared memory feature is currently not supported on " + name,
        null);
  }

  /**
   * Checks that clients may register and unregister regions.
   *
   * @throws InferenceException UNSUPPORTED if not
   */
  public void requireAllowed() {
    if (objects == null) {
      throw InferenceException.unsupported(unsupported);
    }
  }

  /**
   * Registers a system region.
   *
   * @param client whose region it is, until no request uses it any more
   * @param key the name of an existing shared memory object
   * @param offset where the region begins in the object; a multiple of the page size
   * @throws InferenceException if it cannot be registered; the cases are those of Triton, and
   *     RESOURCE_EXHAUSTED if there are too many regions, or too many of the client
   */
  public void register(ClientKey client, String name, String key, long offset, long byteSize) {
    requireAllowed();
    requireShort("the name of a shared memory region", name);
    requireShort("the key of shared memory region '%s'".formatted(name), key);
    SharedObjects.checkKey(name, key);
    var region = new RegionStatus.SystemMemory(name, key, offset, byteSize);
    add(client, region, () -> Objects.requireNonNull(objects).open(region));
  }

  /**
   * Registers a region in memory of a GPU. May wait for a backend that is to be opened, and for the
   * device.
   *
   * @param client whose region it is, until no request uses it any more
   * @param rawHandle a {@code cudaIpcMemHandle_t}
   * @param deviceId the GPU's
   * @throws InferenceException if it cannot be registered; the cases are those of Triton, and
   *     RESOURCE_EXHAUSTED if there are too many regions, or too many of the client
   */
  public void registerCuda(
      ClientKey client, String name, byte[] rawHandle, long deviceId, long byteSize) {
    requireAllowed();
    requireShort("the name of a shared memory region", name);
    add(
        client,
        new RegionStatus.CudaMemory(name, deviceId, byteSize),
        () -> new DeviceRegionMemory(open(name, rawHandle, deviceId, byteSize)));
  }

  private SharedDeviceMemory open(String name, byte[] rawHandle, long deviceId, long byteSize) {
    if (rawHandle.length != CUDA_HANDLE_SIZE || byteSize < 0 || deviceId != (int) deviceId) {
      throw invalidArguments(name);
    }
    Optional<SharedDeviceMemory> opened;
    try {
      opened = devices.open((int) deviceId, rawHandle, byteSize);
    } catch (InferenceException failed) {
      LOG.log(
          Level.WARNING,
          "shared memory region ''{0}'' is not registered: {1}",
          name,
          failed.getMessage());
      throw failed.code() == StatusCode.INVALID_ARGUMENT ? invalidArguments(name) : failed;
    }
    return opened.orElseThrow(() ->
        InferenceException.invalid(
            "failed to register CUDA shared memory region: '%s', GPUs not supported"
                .formatted(name)));
  }

  /**
   * Unregisters a region, or all regions of the kind. Requests that use it are not disturbed.
   *
   * @param name empty for all; has no effect if no region of the kind has the name
   */
  public void unregister(RegionKind kind, String name) {
    requireAllowed();
    Stream<Region> named =
        name.isEmpty() ? regions.values().stream() : Stream.ofNullable(regions.get(name));
    named.filter(region -> region.status().kind() == kind).forEach(Region::unregister);
  }

  /**
   * About how many regions {@link #status} returns.
   *
   * @param name empty for all
   */
  public int count(RegionKind kind, String name) {
    return name.isEmpty() ? counter(kind).get() : 1;
  }

  private AtomicInteger counter(RegionKind kind) {
    return switch (kind) {
      case SYSTEM -> systemRegions;
      case CUDA -> deviceRegions;
    };
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
      if (counter(kind).get() == 0) { // there may be many of the other
        return List.of();
      }
      return regions.values().stream()
          .map(Region::status)
          .filter(status -> status.kind() == kind)
          .toList();
    }
    Region region = regions.get(name);
    if (region == null) {
      throw InferenceException.notFound(
          "Unable to find %s shared memory region: '%s'".formatted(kind.word(), name));
    }
    RegionStatus status = region.status();
    if (status.kind() != kind) {
      throw InferenceException.notFound(
          "The region named '%s' is registered as %s shared memory, not %s shared memory"
              .formatted(name, status.kind().title(), kind.title()));
    }
    return List.of(status);
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
      throw denial == null ? unknown(name) : denial.get();
    }
    region.requireWithin(offset, byteSize);
    if (!region.retain()) {
      throw unknown(name); // it was unregistered meanwhile
    }
    return new RegionSlice(region, offset, byteSize);
  }

  /** Unregisters all regions. The objects belong to the clients, and stay. */
  @Override
  public void close() {
    List.copyOf(regions.values()).forEach(Region::unregister);
    if (!regions.isEmpty()) {
      LOG.log(Level.WARNING, "{0} shared memory regions are still in use", regions.size());
    }
  }

  /** Whether some region lies in memory of a GPU, so that a copy may wait for the device. */
  public boolean areInDeviceMemory() {
    return deviceRegions.get() > 0;
  }

  private static void requireShort(String subject, String text) {
    if (text.length() > MAX_NAME_LENGTH) {
      throw InferenceException.invalid(
          "%s has %d characters, but at most %d are allowed"
              .formatted(subject, text.length(), MAX_NAME_LENGTH));
    }
  }

  /** Adds a region, which is counted before its memory is opened. */
  private void add(ClientKey client, RegionStatus status, Supplier<RegionMemory> memory) {
    String name = status.name();
    Region present = regions.get(name);
    if (present != null && !present.isUnregistered()) {
      throw alreadyRegistered(name);
    }
    count(client, name);
    try {
      put(client, status, memory.get());
    } catch (Throwable failed) {
      counts.remove(client);
      throw failed;
    }
  }

  private void count(ClientKey client, String name) {
    Excess excess = counts.add(client);
    if (excess != null) {
      String reason =
          excess == Excess.OF_ALL
              ? "there are %d regions, the limit of the server".formatted(maxRegions)
              : "the client has %d regions, and leaves %d of the server's %d free for others"
                  .formatted(counts.of(client), maxRegions - counts.all(), maxRegions);
      throw new InferenceException(
          StatusCode.RESOURCE_EXHAUSTED,
          "shared memory region '%s' can not be registered: %s".formatted(name, reason));
    }
  }

  /**
   * Adds a region, and takes its memory.
   *
   * @throws InferenceException ALREADY_EXISTS if the name has got a region meanwhile
   */
  private void put(ClientKey client, RegionStatus status, RegionMemory memory) {
    var region = new Region(status, memory, unused -> remove(client, unused));
    Region present =
        regions.compute(
            status.name(),
            (_, before) -> before == null || before.isUnregistered() ? region : before);
    if (!region.equals(present)) { // another client was faster
      memory.close();
      throw alreadyRegistered(status.name());
    }
    counter(status.kind()).incrementAndGet();
  }

  private void remove(ClientKey client, Region unused) {
    regions.remove(unused.status().name(), unused); // unless the name has another one by now
    counts.remove(client);
    counter(unused.status().kind()).decrementAndGet();
  }

  private static InferenceException invalidArguments(String name) {
    return InferenceException.invalid(
        "failed to register shared memory region '%s': invalid args".formatted(name));
  }

  private static InferenceException alreadyRegistered(String name) {
    return new InferenceException(
        StatusCode.ALREADY_EXISTS, "shared memory region '%s' already in manager".formatted(name));
  }

  private static InferenceException unknown(String name) {
    return InferenceException.notFound("Unable to find shared memory region: '%s'".formatted(name));
  }
}
