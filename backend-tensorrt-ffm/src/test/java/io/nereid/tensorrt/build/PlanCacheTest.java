package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanCacheTest {
  private static final byte[] KEY = hash(1);
  private static final byte[] OTHER_KEY = hash(2);

  @TempDir Path temporary;
  private final Arena arena = Arena.ofConfined();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private Path directory;
  private PlanCache cache;

  @BeforeEach
  void openCache() {
    directory = temporary.resolve("a").resolve("b");
    cache = new PlanCache(directory, 0, () -> now);
  }

  @AfterEach
  void closeArena() {
    arena.close();
  }

  @Test
  void returnsWhatWasWrittenAlignedForTensorRt() {
    cache.write("p.plan", KEY, content("a plan"));

    MemorySegment read = cache.read("p.plan", KEY, arena).orElseThrow();

    assertThat(text(read)).isEqualTo("a plan");
    assertThat(read.address() % 64).isZero();
  }

  @Test
  void filesAndDirectoriesAreTheirOwnersAlone() throws IOException {
    Path below = temporary.resolve("new/plans");
    new PlanCache(below, 0, () -> now).write("p.plan", KEY, content("a plan"));

    for (String path : List.of("new", "new/plans", "new/plans/p.plan")) {
      assertThat(Files.getPosixFilePermissions(temporary.resolve(path)))
          .as(path)
          .doesNotContain(
              PosixFilePermission.GROUP_READ,
              PosixFilePermission.GROUP_EXECUTE,
              PosixFilePermission.OTHERS_READ,
              PosixFilePermission.OTHERS_EXECUTE);
    }
  }

  @Test
  void whatWasNotWrittenIsAbsent() {
    assertThat(cache.read("p.plan", KEY, arena)).isEmpty();
  }

  @Test
  void aFileForAnotherKeyIsNotUsed() throws IOException {
    cache.write("p.plan", KEY, content("a plan"));
    Files.copy(directory.resolve("p.plan"), directory.resolve("q.plan"));

    assertThat(cache.read("q.plan", OTHER_KEY, arena)).isEmpty();
  }

  @Test
  void everyTruncationIsFoundOut() throws IOException {
    cache.write("p.plan", KEY, content("a plan"));
    byte[] whole = Files.readAllBytes(directory.resolve("p.plan"));

    for (int length = 0; length < whole.length; length++) {
      Files.write(directory.resolve("p.plan"), Arrays.copyOf(whole, length));
      assertThat(cache.read("p.plan", KEY, arena)).as("%d bytes", length).isEmpty();
    }
  }

  @Test
  void everyChangeOfTheContentIsFoundOut() throws IOException {
    cache.write("p.plan", KEY, content("a plan"));
    byte[] whole = Files.readAllBytes(directory.resolve("p.plan"));

    for (int i = 128; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 1;
      Files.write(directory.resolve("p.plan"), changed);
      assertThat(cache.read("p.plan", KEY, arena)).as("byte %d", i).isEmpty();
    }
    Files.write(directory.resolve("p.plan"), Arrays.copyOf(whole, whole.length + 1));
    assertThat(cache.read("p.plan", KEY, arena)).isEmpty();
  }

  @Test
  void aLaterWriteReplacesTheFileAndLeavesNothingElse() throws IOException {
    cache.write("p.plan", KEY, content("one"));
    cache.write("p.plan", OTHER_KEY, content("another"));

    assertThat(cache.read("p.plan", OTHER_KEY, arena).map(PlanCacheTest::text)).hasValue("another");
    assertThat(names(directory)).containsExactly("p.plan");
  }

  @Test
  void aFullDiskLeavesTheFormerFileAndNoPartOfTheNewOne() throws IOException {
    Configuration small =
        Configuration.unix().toBuilder().setBlockSize(512).setMaxSize(4096).build();
    try (var disk = Jimfs.newFileSystem(small)) {
      Path full = disk.getPath("/cache");
      var onFullDisk = new PlanCache(full, 0, () -> now);
      onFullDisk.write("p.plan", KEY, content("small"));

      onFullDisk.write("p.plan", KEY, content("large".repeat(2000)));

      assertThat(onFullDisk.read("p.plan", KEY, arena).map(PlanCacheTest::text)).hasValue("small");
      assertThat(names(full)).containsExactly("p.plan");
    }
  }

  @Test
  void aDirectoryThatCannotBeCreatedIsNoFailure() throws IOException {
    Files.writeString(temporary.resolve("a"), "a file");

    cache.write("p.plan", KEY, content("a plan"));

    assertThat(cache.read("p.plan", KEY, arena)).isEmpty();
  }

  @Test
  void theFilesThatWereNotUsedForLongestAreDeletedAtTheLimit() throws IOException {
    var limited = new PlanCache(directory, 1000, () -> now);
    for (String name : List.of("a.plan", "b.plan", "c.plan")) {
      limited.write(name, KEY, content("x".repeat(150)));
      now = now.plus(Duration.ofHours(1));
    }
    Files.writeString(directory.resolve("foreign"), "x".repeat(5000));
    assertThat(limited.read("a.plan", KEY, arena)).isPresent();
    now = now.plus(Duration.ofHours(1));

    limited.write("d.plan", KEY, content("x".repeat(150)));

    assertThat(names(directory)).containsExactly("a.plan", "c.plan", "d.plan", "foreign");
  }

  @Test
  void aPlanAboveTheLimitIsKeptUntilTheNextOne() throws IOException {
    var limited = new PlanCache(directory, 10, () -> now);
    limited.write("a.plan", KEY, content("a"));
    now = now.plus(Duration.ofHours(1));

    limited.write("b.plan", KEY, content("b"));

    assertThat(names(directory)).containsExactly("b.plan");
  }

  private MemorySegment content(String text) {
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(MemorySegment content) {
    return new String(content.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  private static List<String> names(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static byte[] hash(int value) {
    byte[] hash = new byte[32];
    Arrays.fill(hash, (byte) value);
    return hash;
  }
}
