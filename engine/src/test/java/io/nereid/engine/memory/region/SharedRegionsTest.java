package io.nereid.engine.memory.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.tck.support.SharedMemoryObject;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions in real shared memory objects, which a client makes, changes and removes. */
@EnabledOnOs(OS.LINUX)
class SharedRegionsTest {
  private static final int PAGE = 4096;
  private static final int SIZE = 2 * PAGE;
  private static final String UINT64_MAX = "18446744073709551615";

  private final SharedMemoryObject object = SharedMemoryObject.create(SIZE);
  private final CheckedBufferPool pool = new CheckedBufferPool();
  private final SharedRegions regions = SharedRegions.open(8, DeviceMemoryOpener.NONE);

  @AfterEach
  void close() {
    regions.close();
    object.close();
    assertThat(pool.outstanding()).isZero();
  }

  private void register(String name) {
    register(ClientKey.LOCAL, name);
  }

  private void register(ClientKey client, String name) {
    regions.register(client, name, object.key(), 0, SIZE);
  }

  private static ClientKey client(int number) {
    return new ClientKey("10.0.0." + number);
  }

  private byte[] read(RegionSlice slice) {
    try (Lease lease = slice.read(pool)) {
      return lease.segment().toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private static void write(RegionSlice slice, byte... bytes) {
    try (var arena = Arena.ofConfined()) {
      slice.write(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
    }
  }

  private static void assertFails(ThrowingCallable call, StatusCode code, String message) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(call)
        .withMessage(message)
        .matches(failure -> failure.code() == code, code.name());
  }

  private static long openObjects() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.filter(SharedRegionsTest::isInSharedMemory).count();
    }
  }

  private static boolean isInSharedMemory(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith("/dev/shm");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  @Test
  void readsWhatTheClientHasWritten() {
    object.write(PAGE + 3, (byte) 7, (byte) 8);
    regions.register(ClientKey.LOCAL, "r", object.key(), PAGE, PAGE);

    assertThat(read(regions.slice("r", 2, 4))).containsExactly(0, 7, 8, 0);
  }

  @Test
  void writesWhatTheClientReads() {
    regions.register(ClientKey.LOCAL, "r", object.key(), PAGE, PAGE);

    try (RegionSlice slice = regions.slice("r", 5, 4)) {
      write(slice, (byte) 1, (byte) 2);
    }

    assertThat(object.read(PAGE + 4, 4)).containsExactly(0, 1, 2, 0);
  }

  @Test
  void statesWhatWasRegisteredByName() {
    regions.register(ClientKey.LOCAL, "b", object.key(), PAGE, 10);
    regions.register(ClientKey.LOCAL, "a", object.key(), 0, 20);

    var a = new RegionStatus.SystemMemory("a", object.key(), 0, 20);
    var b = new RegionStatus.SystemMemory("b", object.key(), PAGE, 10);
    assertThat(regions.status(RegionKind.SYSTEM, "")).containsExactly(a, b);
    assertThat(regions.status(RegionKind.SYSTEM, "b")).containsExactly(b);
    assertThat(regions.status(RegionKind.CUDA, "")).isEmpty();
  }

  @Test
  void findsNoRegionOfThatNameOrOfTheOtherKind() {
    register("r");

    assertFails(
        () -> regions.status(RegionKind.SYSTEM, "q"),
        StatusCode.NOT_FOUND,
        "Unable to find system shared memory region: 'q'");
    assertFails(
        () -> regions.status(RegionKind.CUDA, "q"),
        StatusCode.NOT_FOUND,
        "Unable to find cuda shared memory region: 'q'");
    assertFails(
        () -> regions.status(RegionKind.CUDA, "r"),
        StatusCode.NOT_FOUND,
        "The region named 'r' is registered as system shared memory, not CUDA shared memory");
    assertFails(
        () -> regions.slice("q", 0, 0),
        StatusCode.NOT_FOUND,
        "Unable to find shared memory region: 'q'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "///"})
  void rejectsAKeyOfSlashesOnly(String key) {
    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", key, 0, 1),
        StatusCode.INVALID_ARGUMENT,
        "cannot register shared memory region 'r' - invalid shm key '" + key + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "///"})
  void rejectsAKeyWithTritonsOwnPrefix(String slashes) {
    String key = slashes + "triton_python_backend_shm_region_1";

    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", key, 0, 1),
        StatusCode.INVALID_ARGUMENT,
        "cannot register shared memory region 'r' with key '"
            + key
            + "' as the key contains the reserved prefix 'triton_python_backend_shm_region_'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/no such object", "a/b", "..", "/.", "a\0b"})
  void rejectsAKeyThatCannotBeOpened(String key) {
    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", key, 0, 1),
        StatusCode.INTERNAL,
        "Unable to open shared memory region: '" + key + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "0,8193",
    "4096,4097",
    "8192,1",
    "8193,0",
    "1,8192",
    "1," + UINT64_MAX,
    UINT64_MAX + ",1",
    UINT64_MAX + "," + UINT64_MAX
  })
  void rejectsARangeBeyondTheObject(String offset, String byteSize) {
    assertFails(
        () ->
            regions.register(
                ClientKey.LOCAL,
                "r",
                object.key(),
                Long.parseUnsignedLong(offset),
                Long.parseUnsignedLong(byteSize)),
        StatusCode.INVALID_ARGUMENT,
        "failed to register shared memory region 'r': invalid args");
  }

  @ParameterizedTest
  @CsvSource({"0,0", "8192,0", "1,1", "4095,10"})
  void rejectsARangeThatCannotBeMapped(long offset, long byteSize) {
    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", object.key(), offset, byteSize),
        StatusCode.INVALID_ARGUMENT,
        "failed to register shared memory region 'r': unable to process address spaceInvalid"
            + " argument");
  }

  @Test
  void rejectsANameThatARegionHas() {
    register("r");

    assertFails(
        () -> register("r"),
        StatusCode.ALREADY_EXISTS,
        "shared memory region 'r' already in manager");
  }

  @Test
  void rejectsMoreRegionsThanTheLimit() {
    for (int i = 0; i < 8; i++) {
      register(client(i), "r" + i);
    }

    assertFails(
        () -> register(client(8), "r8"),
        StatusCode.RESOURCE_EXHAUSTED,
        "shared memory region 'r8' can not be registered: there are 8 regions, the limit of the"
            + " server");
  }

  @Test
  void aClientHasAsManyRegionsAsItLeavesFreeForOthers() {
    for (int i = 0; i < 4; i++) {
      register(client(1), "a" + i);
    }
    assertFails(
        () -> register(client(1), "a4"),
        StatusCode.RESOURCE_EXHAUSTED,
        "shared memory region 'a4' can not be registered: the client has 4 regions, and leaves 4"
            + " of the server's 8 free for others");

    register(client(2), "b0");
    register(client(2), "b1");
    assertFails(
        () -> register(client(2), "b2"),
        StatusCode.RESOURCE_EXHAUSTED,
        "shared memory region 'b2' can not be registered: the client has 2 regions, and leaves 2"
            + " of the server's 8 free for others");
    register(client(3), "c");

    regions.unregister(RegionKind.SYSTEM, "");
    register(client(1), "a4");
  }

  @Test
  void theStatusOfAKindCostsWhatIsOfThatKind() {
    register("a");
    register("b");

    assertThat(regions.count(RegionKind.SYSTEM, "")).isEqualTo(2);
    assertThat(regions.count(RegionKind.SYSTEM, "a")).isEqualTo(1);
    assertThat(regions.count(RegionKind.CUDA, "")).isZero();
    regions.unregister(RegionKind.SYSTEM, "a");
    assertThat(regions.count(RegionKind.SYSTEM, "")).isEqualTo(1);
  }

  @Test
  void countsRegionsThatHaveLostTheirNamesWhileRequestsUseThem() {
    List<RegionSlice> used = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      register(client(i), "r");
      used.add(regions.slice("r", 0, 1));
      regions.unregister(RegionKind.SYSTEM, "r");
    }

    assertFails(
        () -> register("r"),
        StatusCode.RESOURCE_EXHAUSTED,
        "shared memory region 'r' can not be registered: there are 8 regions, the limit of the"
            + " server");
    used.removeFirst().close();
    register(client(0), "r");
    used.forEach(RegionSlice::close);
  }

  @Test
  void countsNoRegionThatCouldNotBeRegistered() {
    for (int i = 0; i < 20; i++) {
      String name = "r" + i;
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> regions.register(ClientKey.LOCAL, name, object.key(), 0, SIZE + 1));
    }

    register("r");
  }

  @Test
  void neverHasMoreRegionsThanTheLimitHoweverManyRegisterAtOnce() throws InterruptedException {
    var registered = new AtomicInteger();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      String name = "r" + i;
      ClientKey client = client(i);
      clients.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  register(client, name);
                  registered.incrementAndGet();
                } catch (InferenceException full) {
                  assertThat(full.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                }
              }));
    }
    for (Thread client : clients) {
      client.join();
    }

    assertThat(registered).hasValue(8);
  }

  @Test
  void aNameAndAKeyHaveALimitedLength() {
    String longest = "n".repeat(SharedRegions.MAX_NAME_LENGTH);
    register(longest);

    assertThat(regions.status(RegionKind.SYSTEM, longest)).hasSize(1);
    assertFails(
        () -> register(longest + "n"),
        StatusCode.INVALID_ARGUMENT,
        "the name of a shared memory region has 1025 characters, but at most 1024 are allowed");
    assertFails(
        () -> regions.register(ClientKey.LOCAL, "r", "/" + longest, 0, SIZE),
        StatusCode.INVALID_ARGUMENT,
        "the key of shared memory region 'r' has 1025 characters, but at most 1024 are allowed");
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, longest + "n", new byte[64], 0, SIZE),
        StatusCode.INVALID_ARGUMENT,
        "the name of a shared memory region has 1025 characters, but at most 1024 are allowed");
  }

  @ParameterizedTest
  @CsvSource({
    "8192,0,Invalid offset for shared memory region: 'r'",
    UINT64_MAX + ",0,Invalid offset for shared memory region: 'r'",
    "0,8193,Invalid offset + byte size for shared memory region: 'r'",
    "1,8192,Invalid offset + byte size for shared memory region: 'r'",
    "32,18446744073709551584,Integer overflow detected: byte_size (18446744073709551584) + offset"
        + " (32) exceeds maximum value (18446744073709551615) for region 'r'",
  })
  void rejectsASliceBeyondItsRegion(String offset, String byteSize, String message) {
    register("r");

    assertFails(
        () -> regions.slice("r", Long.parseUnsignedLong(offset), Long.parseUnsignedLong(byteSize)),
        StatusCode.INVALID_ARGUMENT,
        message);
  }

  @Test
  void unregistersOneOrAllAndIgnoresUnknownNames() {
    register("a");
    register("b");
    register("c");

    regions.unregister(RegionKind.SYSTEM, "unknown");
    regions.unregister(RegionKind.CUDA, "a");
    regions.unregister(RegionKind.CUDA, "");
    assertThat(regions.status(RegionKind.SYSTEM, "")).hasSize(3);
    regions.unregister(RegionKind.SYSTEM, "a");
    assertThat(regions.status(RegionKind.SYSTEM, "")).hasSize(2);
    regions.unregister(RegionKind.SYSTEM, "");
    assertThat(regions.status(RegionKind.SYSTEM, "")).isEmpty();
  }

  @Test
  void keepsARegionThatIsUnregisteredUntilItsLastUseHasEnded() throws IOException {
    register("r");
    object.write(0, (byte) 9);
    long open = openObjects();
    RegionSlice first = regions.slice("r", 0, 1);

    regions.unregister(RegionKind.SYSTEM, "r");
    regions.unregister(RegionKind.SYSTEM, "");
    RegionSlice second = regions.slice("r", 1, 1); // as in Triton
    first.close();
    first.close();
    assertThat(regions.status(RegionKind.SYSTEM, "")).hasSize(1);
    write(second, (byte) 5);
    second.close();

    assertThat(object.read(0, 2)).containsExactly(9, 5);
    assertThat(regions.status(RegionKind.SYSTEM, "")).isEmpty();
    assertThat(openObjects()).isEqualTo(open - 1);
  }

  @Test
  void registersANameAgainWhileItsFormerRegionIsInUse() {
    try (SharedMemoryObject next = SharedMemoryObject.of((byte) 1, (byte) 2)) {
      register("r");
      RegionSlice former = regions.slice("r", 0, 1);
      regions.unregister(RegionKind.SYSTEM, "r");

      regions.register(ClientKey.LOCAL, "r", next.key(), 0, 2);
      write(former, (byte) 7);
      former.close();

      assertThat(object.read(0, 1)).containsExactly(7);
      assertThat(read(regions.slice("r", 0, 2))).containsExactly(1, 2);
      assertThat(regions.status(RegionKind.SYSTEM, "r"))
          .containsExactly(new RegionStatus.SystemMemory("r", next.key(), 0, 2));
    }
  }

  @Test
  void countsAnInputAsUsedUntilItsMemoryIsReleased() {
    register("r");
    Lease input = regions.slice("r", 0, 4).read(pool);

    regions.unregister(RegionKind.SYSTEM, "r");
    assertThat(regions.status(RegionKind.SYSTEM, "")).hasSize(1);
    input.close();
    assertThat(regions.status(RegionKind.SYSTEM, "")).isEmpty();
  }

  @Test
  void failsToReadOrWriteWhatTheClientHasCutOff() {
    register("r");
    object.truncate(10);

    assertFails(
        () -> read(regions.slice("r", 0, SIZE)),
        StatusCode.INVALID_ARGUMENT,
        "shared memory region 'r' can not be read: its object '"
            + object.key()
            + "' has become smaller than the region");
    try (RegionSlice slice = regions.slice("r", 8, 3)) {
      assertFails(
          () -> write(slice, new byte[3]),
          StatusCode.INVALID_ARGUMENT,
          "shared memory region 'r' can not be written: its object '"
              + object.key()
              + "' has become smaller than the region");
      write(slice, new byte[2]);
    }
    assertThat(object.byteSize()).isEqualTo(10);
    assertThat(read(regions.slice("r", 0, 10))).hasSize(10);
  }

  @Test
  void readsAnObjectThatTheClientHasUnlinked() {
    object.write(0, (byte) 3);
    register("r");
    object.close();

    assertThat(read(regions.slice("r", 0, 1))).containsExactly(3);
  }

  @Test
  void closesItsFilesAndLeavesTheObjects() throws IOException {
    long open = openObjects();
    register("r");
    assertThat(openObjects()).isEqualTo(open + 1);

    regions.close();

    assertThat(openObjects()).isEqualTo(open);
    assertThat(object.exists()).isTrue();
  }

  @Test
  void leavesNoFileAndNoMappingAfterAThousandRegistrations() throws IOException {
    long open = openObjects();
    for (int i = 0; i < 1_000; i++) {
      register("r");
      assertThat(read(regions.slice("r", 0, 8))).hasSize(8);
      regions.unregister(RegionKind.SYSTEM, i % 2 == 0 ? "r" : "");
      assertFails(
          () -> regions.register(ClientKey.LOCAL, "r", object.key(), 0, SIZE + 1),
          StatusCode.INVALID_ARGUMENT,
          "failed to register shared memory region 'r': invalid args");
    }

    assertThat(openObjects()).isEqualTo(open);
    assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain("/dev/shm");
  }

  @Test
  void writesNothingThroughASliceThatIsClosed() {
    register("r");
    RegionSlice slice = regions.slice("r", 0, 1);
    slice.close();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> write(slice, (byte) 1))
        .matches(failure -> failure.code() == StatusCode.CANCELLED);
    assertThat(object.read(0, 1)).containsExactly(0);
  }

  @Test
  void readsNothingThroughASliceThatIsClosed() {
    register("r");
    RegionSlice slice = regions.slice("r", 0, 1);
    slice.close();

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> slice.read(pool))
        .matches(failure -> failure.code() == StatusCode.CANCELLED);
  }

  @Test
  void refusesRegistrationsUnlessTheServerAllowsThem() {
    var disabled = SharedRegions.NONE;
    var message =
        "Client shared memory is disabled. Start the server with '--allow-client-shm=true' to"
            + " enable.";

    assertFails(
        () -> disabled.register(ClientKey.LOCAL, "r", object.key(), 0, 1),
        StatusCode.UNSUPPORTED,
        message);
    assertFails(() -> disabled.unregister(RegionKind.SYSTEM, ""), StatusCode.UNSUPPORTED, message);
    assertFails(
        () -> disabled.registerCuda(ClientKey.LOCAL, "r", new byte[64], 0, 16),
        StatusCode.UNSUPPORTED,
        message);
    assertThat(disabled.status(RegionKind.SYSTEM, "")).isEmpty();
    assertThatNoException().isThrownBy(disabled::close);
  }

  @Test
  void registersNoMemoryOfGpus() {
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", new byte[63], 0, 16),
        StatusCode.INVALID_ARGUMENT,
        "failed to register shared memory region 'r': invalid args");
    assertFails(
        () -> regions.registerCuda(ClientKey.LOCAL, "r", new byte[64], 0, 16),
        StatusCode.INVALID_ARGUMENT,
        "failed to register CUDA shared memory region: 'r', GPUs not supported");
  }

  @Test
  void readsNothingIntoASliceWithoutBytes() {
    register("r");

    assertThat(read(regions.slice("r", SIZE - 1, 0))).isEmpty();
    try (RegionSlice slice = regions.slice("r", 0, 0)) {
      slice.write(MemorySegment.NULL);
    }
  }

  @Test
  void hasNoCallsOfOtherSystems() {
    assertThat(LinuxSharedMemory.calls("Mac OS X", "aarch64")).isEmpty();
    assertThat(LinuxSharedMemory.calls("Linux", "riscv64")).isEmpty();
  }
}
