package io.nereid.onnx.ort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.nereid.spi.CachedFile;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrtLibraryTest {
  @TempDir private Path cache = Path.of("");

  private static final OrtLibrary.Platform PLATFORM = OrtLibrary.Platform.current();

  private static URL resource() {
    return Objects.requireNonNull(
        OrtLibrary.class.getClassLoader().getResource(PLATFORM.resource()));
  }

  @Test
  void copiesTheLibraryOnceWhenSeveralProcessesStartTogether() throws Exception {
    List<Future<Path>> starting = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(3)) {
      for (int i = 0; i < 3; i++) {
        starting.add(threads.submit(() -> OrtLibrary.extract(resource(), PLATFORM, cache)));
      }
    }
    Path file = starting.getFirst().get();
    for (Future<Path> start : starting) {
      assertThat(start.get()).isEqualTo(file);
    }
    Path folder = Objects.requireNonNull(file.getParent());
    assertThat(cache.relativize(folder).toString())
        .matches("onnxruntime-[\\d.]+-" + Files.size(file));
    try (var left = Files.list(folder)) {
      assertThat(left).containsExactly(file); // no unfinished copies
    }
    var written = Files.getLastModifiedTime(file);
    assertThat(OrtLibrary.extract(resource(), PLATFORM, cache)).isEqualTo(file);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(written);
  }

  @Test
  void theNameOfTheFolderIsTheSameInEveryLocale() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext"));
    try {
      assertThat(OrtLibrary.extract(resource(), PLATFORM, cache)).isEqualTo(file);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void replacesATruncatedCopy() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    long byteSize = Files.size(file);
    Files.writeString(file, "cut short");

    assertThat(Files.size(OrtLibrary.extract(resource(), PLATFORM, cache))).isEqualTo(byteSize);
  }

  @Test
  void replacesACopyOfTheSameSizeWithOtherContent() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    byte[] content = Files.readAllBytes(file);
    byte[] changed = content.clone();
    changed[changed.length / 2] ^= 1;
    Files.write(file, changed);
    Files.setLastModifiedTime(file, FileTime.fromMillis(1));

    assertThat(OrtLibrary.extract(resource(), PLATFORM, cache)).isEqualTo(file);
    assertThat(Arrays.equals(Files.readAllBytes(file), content)).isTrue();
  }

  @Test
  void closesAFolderThatOthersCanWriteTo() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    Path folder = Objects.requireNonNull(file.getParent());
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThat(OrtLibrary.extract(resource(), PLATFORM, cache)).isEqualTo(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void theUsersCacheIsClosedToOthersToo() throws Exception {
    Path home = Files.createDirectory(cache.resolve("nereid"));
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwxrwx"));

    assertThat(CachedFile.closeToOthers(home)).isTrue();
    assertThat(CachedFile.closeToOthers(home)).isFalse();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
        .isEqualTo("rwxr-xr-x");
    Path link = Files.createSymbolicLink(cache.resolve("link"), home);
    assertThatThrownBy(() -> CachedFile.closeToOthers(link)).hasMessageContaining("is a link");
  }

  @Test
  void usesNoFolderOfAnotherUser() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    Path folder = Objects.requireNonNull(file.getParent());
    try {
      Files.setAttribute(folder, "unix:uid", 12345);
    } catch (IOException notRoot) {
      abort("only root can give a folder to another user");
    }

    assertThatThrownBy(() -> OrtLibrary.find(Optional.empty(), null, Optional.of(cache)))
        .hasMessageContaining("another user's");
  }

  @Test
  void replacesACopyThatOthersCanWriteTo() throws Exception {
    Path file = OrtLibrary.extract(resource(), PLATFORM, cache);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

    Path again = OrtLibrary.extract(resource(), PLATFORM, cache);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(again)))
        .isEqualTo("rw-------");
  }

  @Test
  void prefersTheConfiguredFileThenTheOneBesideItsJar() throws Exception {
    Path jar = cache.resolve("backend.jar");
    Path ofJar = OrtLibrary.find(Optional.empty(), jar, Optional.of(cache));
    assertThat(ofJar).isEqualTo(OrtLibrary.extract(resource(), PLATFORM, cache));

    Path unpacked = cache.resolve(PLATFORM.resource());
    Files.createDirectories(Objects.requireNonNull(unpacked.getParent()));
    Files.copy(ofJar, unpacked);
    assertThat(OrtLibrary.find(Optional.empty(), jar, Optional.of(cache))).isEqualTo(unpacked);

    Path beside = cache.resolve("native").resolve(PLATFORM.fileName());
    Files.createDirectories(cache.resolve("native"));
    Files.copy(ofJar, beside);
    assertThat(OrtLibrary.find(Optional.empty(), jar, Optional.of(cache))).isEqualTo(beside);
    assertThat(OrtLibrary.find(Optional.of(ofJar), jar, Optional.of(cache))).isEqualTo(ofJar);
  }

  /** A jar with an empty library. */
  private URL jar(String title, String version) throws IOException {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_TITLE, title);
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    Path file = cache.resolve("%s-%s.jar".formatted(title, version));
    try (var jar = new JarOutputStream(Files.newOutputStream(file), manifest)) {
      jar.putNextEntry(new ZipEntry(PLATFORM.resource()));
      jar.closeEntry();
    }
    return file.toUri().toURL();
  }

  private static String chosen(URL... jars) throws IOException {
    try (var loader = new URLClassLoader(jars, null)) {
      return OrtLibrary.resource(loader, PLATFORM).toString();
    }
  }

  private String chosenOf(String... versions) throws IOException {
    List<URL> jars = new ArrayList<>();
    for (String version : versions) {
      jars.add(jar("onnxruntime", version));
    }
    return chosen(jars.toArray(URL[]::new));
  }

  @Test
  void ofSeveralJarsTakesTheFirstThatIsNotTooOld() throws Exception {
    assertThat(chosenOf("1.20.0", "1.23.2", "1.24.0", "1.30.0")).contains("-1.24.0.jar!");
    assertThat(chosenOf("1.25.1", "1.24.0")).contains("-1.25.1.jar!");
    assertThat(chosenOf("2.0.0", "1.24.0")).contains("-2.0.0.jar!");
  }

  @Test
  void aVersionThatIsNotOnnxRuntimesSaysNothing() throws Exception {
    assertThat(chosenOf("nightly", "1.24.0")).contains("-nightly.jar!");
    assertThat(chosen(jar("application", "1.2.3"), jar("onnxruntime", "1.24.0")))
        .contains("application-1.2.3.jar!");
  }

  @Test
  void comparesVersionsByTheirNumbers() {
    assertThat(List.of("1.9.0", "1.27.3", "1.28.0", "1.100.0", "2.0.0", "unknown"))
        .filteredOn(version -> OrtLibrary.isBefore(28, version))
        .containsExactly("1.9.0", "1.27.3");
  }

  @Test
  void namesTheJarsThatAreTooOldWithTheirVersionsAndWhatToDo() {
    assertThatThrownBy(() -> chosenOf("1.20.0", "1.23.2"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "ONNX Runtime on the class path is 1.20.0 in 'file:%1$s/onnxruntime-1.20.0.jar' and"
                + " 1.23.2 in 'file:%1$s/onnxruntime-1.23.2.jar', and at least 1.24 is needed:"
                + " depend on a later com.microsoft.onnxruntime:onnxruntime, or name the file of"
                + " a later library by backend option 'library'",
            cache);
  }

  @Test
  void failsNamingTheOptionThatMovesACacheThatCannotBeWritten() throws Exception {
    Path file = Files.writeString(cache.resolve("file"), "no folder");

    assertThatThrownBy(() -> OrtLibrary.find(Optional.empty(), null, Optional.of(file)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("'cache-directory'");
  }

  @Test
  void failsNamingAFileThatIsNoLibrary() throws Exception {
    Path file = Files.writeString(cache.resolve("libonnxruntime.so"), "not a library");

    assertThatThrownBy(() -> OrtLibrary.load(Optional.of(file), Optional.of(cache)))
        .isInstanceOf(IOException.class)
        .hasMessageMatching(".*" + file + "': .*(invalid|too short|not a).*"); // dlopen's reason
  }

  @Test
  void aCopyOnAFileSystemWithoutExecutablesNamesTheReasonAndTheOption() throws Exception {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    Path mounted = Files.createDirectory(cache.resolve("noexec"));
    assumeThat(run("mount", "-t", "tmpfs", "-o", "noexec,size=64m", "tmpfs", mounted.toString()))
        .isZero(); // for root
    try {
      assertThatThrownBy(() -> OrtLibrary.load(Optional.empty(), Optional.of(mounted)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("failed to map segment")
          .hasMessageContaining("noexec")
          .hasMessageContaining("'cache-directory'");
    } finally {
      run("umount", "-l", mounted.toString());
    }
  }

  private static int run(String... command) throws Exception {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException missing) {
      return -1;
    }
  }
}
