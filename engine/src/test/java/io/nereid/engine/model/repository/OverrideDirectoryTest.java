package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverrideDirectoryTest {
  private static final int DISK_BYTES = 1 << 16;

  private final FileSystem disk =
      Jimfs.newFileSystem(Configuration.unix().toBuilder().setMaxSize(DISK_BYTES).build());
  private final Path temporary = disk.getPath("/tmp");

  @BeforeEach
  void createTemporary() throws IOException {
    Files.createDirectory(temporary);
  }

  @Test
  void rejectsAModelNameThatNoPathCanHave(@TempDir Path directory) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> OverrideDirectory.create(directory, "m\ud800", Map.of()))
        .withMessageStartingWith("model 'm\ud800': its name cannot be a path: ")
        .extracting(InferenceException::code)
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theDirectoryHasTheModelsNameAndTheFilesOfTheRequest() throws IOException {
    ByteBuffer graph = bytes("graph");

    var directory =
        OverrideDirectory.create(
            temporary,
            "m",
            Map.of("1/model.onnx", graph, "2/a/b", bytes(""), "labels.txt", bytes("cat")));

    Path path = directory.path();
    assertThat(path.getFileName()).hasToString("m");
    assertThat(path.resolve("1/model.onnx")).hasContent("graph");
    assertThat(path.resolve("2/a/b")).isEmptyFile();
    assertThat(path.resolve("labels.txt")).hasContent("cat");
    assertThat(graph.remaining()).isEqualTo(5);
    var contents =
        new LocalRepository(Objects.requireNonNull(path.getParent())).contents("m").orElseThrow();
    assertThat(contents.files()).containsOnlyKeys("1/model.onnx", "2/a/b", "labels.txt");
  }

  @Test
  void closingDeletesTheDirectoryAndWhatABackendAddedToIt() throws IOException {
    var directory = OverrideDirectory.create(temporary, "m", Map.of("1/model.onnx", bytes("g")));
    Files.createDirectories(directory.path().resolve("1/cache"));
    Files.writeString(directory.path().resolve("1/cache/plan"), "engine");

    directory.close();
    directory.close();

    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void closingDeletesLinksButNotWhatTheyLeadTo() throws IOException {
    Path precious = Files.writeString(disk.getPath("/precious"), "keep");
    var directory = OverrideDirectory.create(temporary, "m", Map.of("1/model.onnx", bytes("g")));
    Files.createSymbolicLink(directory.path().resolve("1/link"), precious);

    directory.close();

    assertThat(temporary).isEmptyDirectory();
    assertThat(precious).hasContent("keep");
  }

  @Test
  void onlyTheServersUserCanReadTheDirectory(@TempDir Path real) throws IOException {
    try (var directory = OverrideDirectory.create(real, "m", Map.of("1/a", bytes("secret")))) {
      Path parent = directory.path().getParent();

      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(parent)))
          .isEqualTo("rwx------");
    }
    assertThat(real).isEmptyDirectory();
  }

  @Test
  void twoOfTheSameModelHaveDirectoriesOfTheirOwn() {
    Map<String, ByteBuffer> files = Map.of("1/model.onnx", bytes("graph"));

    try (var first = OverrideDirectory.create(temporary, "m", files);
        var second = OverrideDirectory.create(temporary, "m", files)) {
      assertThat(first.path()).isNotEqualTo(second.path());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/etc/passwd",
        "//etc/passwd",
        "..",
        "../model.onnx",
        "../m/1/model.onnx",
        "1/..",
        "1/../../model.onnx",
        "1/../2/model.onnx",
        "1/./model.onnx",
        "./1/model.onnx",
        "1//model.onnx",
        "1/model.onnx/",
        "1/",
        "1/a\0b",
        "a\0/../../b",
      })
  void aPathThatIsNotMadeOfNamesBelowTheDirectoryIsRejected(String path) {
    assertRejected(Map.of(path, bytes("x"), "1/good", bytes("y")));
  }

  static String[] tooLong() {
    return new String[] {
      "1/" + "x".repeat(256),
      "1/" + "\u00fc".repeat(128), // 256 bytes
      "x/".repeat(40) + "x",
      "x".repeat(100_000),
    };
  }

  @ParameterizedTest
  @MethodSource("tooLong")
  void aPathThatFileSystemsDoNotAllowIsRejected(String path) {
    InferenceException rejected = assertRejected(Map.of(path, bytes("x")));

    assertThat(rejected.getMessage()).hasSizeLessThan(500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 1/model.onnx", "1/a 1/a/b", "1/a/b/c/d 1/a", "1 1/a/b 1/a"})
  void aFileThatIsAlsoADirectoryIsRejected(String paths) {
    assertRejected(
        Arrays.stream(paths.split(" ")).collect(Collectors.toMap(path -> path, _ -> bytes("x"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1/a b", "1/...", "1/..a", "1/a..", "1/~", "1/\\..\\x", "1/%2e%2e", "1/\u00fc"})
  void aPathOfUnusualNamesIsAllowed(String path) throws IOException {
    try (var directory = OverrideDirectory.create(temporary, "m", Map.of(path, bytes("x")))) {
      assertThat(directory.path().resolve(path)).hasContent("x");
      assertThat(directory.path().resolve(path).getParent())
          .isEqualTo(directory.path().resolve("1"));
    }
  }

  @Test
  void aFullDiskIsAnErrorThatSaysSoAndLeavesNothing() {
    var large = ByteBuffer.allocate(2 * DISK_BYTES);

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            OverrideDirectory.create(
                temporary, "m", Map.of("1/first", bytes("x"), "1/model.onnx", large)))
        .withMessageContaining("model 'm': cannot write the files of the load request to '/tmp': ")
        .withMessageContaining("out of disk space");
    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void aTemporaryDirectoryThatDoesNotExistIsAnErrorThatNamesIt() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() ->
            OverrideDirectory.create(disk.getPath("/missing"), "m", Map.of("1/a", bytes("x"))))
        .withMessageContaining("/missing");
  }

  private InferenceException assertRejected(Map<String, ByteBuffer> files) {
    var thrown = new InferenceException[1];
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> OverrideDirectory.create(temporary, "m", files))
        .withMessageContaining("Invalid file parameter 'file:")
        .satisfies(failure -> thrown[0] = failure);
    assertThat(temporary).isEmptyDirectory();
    return thrown[0];
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }
}
