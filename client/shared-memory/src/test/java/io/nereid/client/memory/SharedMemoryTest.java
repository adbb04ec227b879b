package io.nereid.client.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.nereid.client.ErrorCode;
import io.nereid.client.NereidClient;
import io.nereid.client.NereidException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How regions begin and end, with a server that answers as a test says. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class SharedMemoryTest {
  private static final Path SHM = Path.of("/dev/shm");
  private static final Set<PosixFilePermission> ALL = PosixFilePermissions.fromString("rw-rw-rw-");

  @TempDir private Path folder;

  private static NereidException failure(Runnable call) {
    NereidException failure = catchThrowableOfType(NereidException.class, call::run);
    assertThat(failure).isNotNull();
    return failure;
  }

  private static List<Path> files(Path folder, String prefix) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theServerOpensAFileOfZerosThatIsGoneOnceItHas() throws Exception {
    BlockingQueue<byte[]> seen = new LinkedBlockingQueue<>();
    try (var server =
            new StubServer(asked -> {
              if (asked.path().endsWith("/register")) {
                seen.add(read(files(SHM, "nereid_" + ProcessHandle.current().pid() + "_")));
              }
              return 200;
            });
        var client = NereidClient.connect(server.address())) {
      SharedMemory memory = SharedMemory.create(client, 3);

      assertThat(seen.take()).containsExactly(0, 0, 0);
      assertThat(files(SHM, memory.name())).isEmpty();
      StubServer.Asked asked = server.next();
      assertThat(asked.is(memory.name(), "register")).as(asked.path()).isTrue();
      assertThat(asked.body())
          .contains("\"key\":\"/" + memory.name() + "\"", "\"byte_size\":3", "\"offset\":0");
      assertThat(memory.byteSize()).isEqualTo(3);

      memory.close();
      memory.close();

      assertThat(server.next().is(memory.name(), "unregister")).isTrue();
      assertThat(server.hasMore()).isFalse();
    }
  }

  /** The content of the only file. */
  private static byte[] read(List<Path> files) {
    assertThat(files).hasSize(1);
    try {
      return Files.readAllBytes(files.getFirst());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void noTwoHaveTheSameName() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address());
        var one = SharedMemory.create(client, 1);
        var other = SharedMemory.create(client, 1)) {
      assertThat(one.name()).isNotEqualTo(other.name());
    }
  }

  @Test
  void onlyThisUserMayOpenItUnlessOthersAreNamed() throws Exception {
    BlockingQueue<Set<PosixFilePermission>> seen = new LinkedBlockingQueue<>();
    try (var server =
            new StubServer(_ -> {
              for (Path file : files(SHM, "nereid_" + ProcessHandle.current().pid() + "_")) {
                seen.add(permissions(file));
              }
              return 200;
            });
        var client = NereidClient.connect(server.address())) {
      SharedMemory.create(client, 1).close();
      SharedMemory.create(client, 1, ALL).close();

      assertThat(seen)
          .containsExactly(PosixFilePermissions.fromString("rw-------"), ALL); // despite the umask
    }
  }

  private static Set<PosixFilePermission> permissions(Path file) {
    try {
      return Files.getPosixFilePermissions(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void slicesBeginAtMultiplesOf64AndEndWithTheMemory() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address());
        var memory = SharedMemory.create(client, 200)) {
      assertThat(memory.slice(64).region().offset()).isZero();
      assertThat(memory.slice(1).region().offset()).isEqualTo(64);
      assertThat(failure(() -> memory.slice(73)))
          .hasMessage(
              "a slice of 73 bytes of the region '%s': 72 of its 200 bytes are left (RESOURCE_EXHAUSTED)"
                  .formatted(memory.name()));
      assertThat(memory.slice(72).region().offset()).isEqualTo(128);
      assertThat(failure(() -> memory.slice(1)).sentence())
          .isEqualTo("0 of its 200 bytes are left");
      assertThat(failure(() -> memory.slice(Long.MAX_VALUE)).code())
          .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
      assertThatThrownBy(() -> memory.slice(0)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void moreThanTheSystemHasIsRefusedBeforeAnythingIsMade() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      long tooMuch = SHM.toFile().getTotalSpace() + 1;

      NereidException failure = failure(() -> SharedMemory.create(client, tooMuch));

      assertThat(failure.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
      assertThat(failure.mayHaveRun()).isFalse();
      assertThat(failure.getMessage())
          .matches(
              "shared memory of %d bytes at /dev/shm/nereid_\\w+: \\d+ bytes are left in /dev/shm .*"
                  .formatted(tooMuch));
      assertThat(server.hasMore()).isFalse();
      assertThatThrownBy(() -> SharedMemory.create(client, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aFileThatExistsStaysAsItIs() throws Exception {
    Path other = Files.write(folder.resolve("taken"), new byte[] {7});
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      NereidException failure = failure(() -> SharedMemory.create(client, folder, "taken", 3, ALL));

      assertThat(failure)
          .hasMessage(
              "shared memory of 3 bytes at %s: the file exists (ALREADY_EXISTS)".formatted(other));
      assertThat(Files.readAllBytes(other)).containsExactly(7);
      assertThat(server.hasMore()).isFalse();
    }
  }

  @Test
  void aSystemWithoutTheFolderIsSaid() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      NereidException failure =
          failure(() -> SharedMemory.create(client, folder.resolve("none"), "x", 3, ALL));

      assertThat(failure.code()).isEqualTo(ErrorCode.UNIMPLEMENTED);
      assertThat(failure.sentence()).startsWith("Linux has no folder ");
    }
  }

  @ParameterizedTest
  @CsvSource({"400,INVALID_ARGUMENT", "409,ALREADY_EXISTS", "404,NOT_FOUND"})
  void whenTheServerRefusesNothingIsLeft(int status, ErrorCode code) throws Exception {
    try (var server = new StubServer(_ -> status);
        var client = NereidClient.connect(server.address())) {
      NereidException failure = failure(() -> SharedMemory.create(client, folder, "no", 3, ALL));

      assertThat(failure.code()).isEqualTo(code);
      assertThat(failure.sentence()).isEqualTo("no, for a reason");
      assertThat(files(folder, "")).isEmpty();
      server.next();
      assertThat(server.hasMore()).as("a region of another is unregistered").isFalse();
    }
  }

  @Test
  void whenTheServerIsAwayNothingIsLeft() throws Exception {
    String address;
    try (var server = new StubServer(_ -> 200)) {
      address = server.address();
    }
    try (var client = NereidClient.connect(address)) {
      NereidException failure = failure(() -> SharedMemory.create(client, folder, "no", 3, ALL));

      assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
      assertThat(files(folder, "")).isEmpty();
    }
  }

  @Test
  void aServerThatDidNotAnswerIsToldToForgetTheRegion() throws Exception {
    Thread caller = Thread.currentThread();
    try (var server =
            new StubServer(asked -> {
              if (asked.is("slow", "register")) {
                caller.interrupt();
                return StubServer.NEVER;
              }
              return 200;
            });
        var client = NereidClient.connect(server.address())) {
      NereidException failure = failure(() -> SharedMemory.create(client, folder, "slow", 3, ALL));

      assertThat(Thread.interrupted()).isTrue();
      assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(files(folder, "")).isEmpty();
      assertThat(server.next().is("slow", "register")).isTrue();
      assertThat(server.next().is("slow", "unregister")).isTrue();
    }
  }

  @Test
  void anInterruptEndsTheMaking() throws Exception {
    try (var server = new StubServer(_ -> 200);
        var client = NereidClient.connect(server.address())) {
      Thread.currentThread().interrupt();
      NereidException failure = failure(() -> SharedMemory.create(client, folder, "no", 3, ALL));

      assertThat(Thread.interrupted()).isTrue();
      assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED);
      assertThat(files(folder, "")).isEmpty();
    }
  }

  @Test
  void closeFreesTheMemoryThoughTheServerIsAway() throws Exception {
    var server = new StubServer(_ -> 200);
    try (var client = NereidClient.connect(server.address())) {
      SharedMemory memory = SharedMemory.create(client, 8);
      SharedSlice slice = memory.slice(8);
      server.close();

      assertThat(failure(memory::close).code()).isEqualTo(ErrorCode.UNAVAILABLE);

      assertThatThrownBy(() -> slice.segment().get(ValueLayout.JAVA_BYTE, 0))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> slice.buffer().get(0)).isInstanceOf(IllegalStateException.class);
      memory.close();
    }
  }

  private static Process start(String address) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            EndingProgram.class.getName(),
            address)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void aProgramThatEndsWhileTheServerIsAskedLeavesNoFile() throws Exception {
    try (var server = new StubServer(_ -> StubServer.NEVER)) {
      Process program = start(server.address());
      server.next();
      assertThat(files(SHM, "nereid_" + program.pid() + "_")).hasSize(1);

      program.destroy(); // SIGTERM
      program.waitFor();

      assertThat(files(SHM, "nereid_" + program.pid() + "_")).isEmpty();
    }
  }

  @Test
  void aProgramThatIsKilledLeavesNoFile() throws Exception {
    try (var server = new StubServer(_ -> 200)) {
      Process program = start(server.address());
      String name = program.inputReader().readLine();

      program.destroyForcibly().waitFor();

      assertThat(name).startsWith("nereid_" + program.pid() + "_");
      assertThat(files(SHM, name)).isEmpty();
    }
  }
}
