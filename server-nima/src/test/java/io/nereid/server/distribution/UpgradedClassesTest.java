package io.nereid.server.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.File;
import java.lang.classfile.ClassFile;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The copy of picocli that the distribution has, made by {@code UpgradeClassFiles.java}. */
class UpgradedClassesTest {
  @TempDir private Path folder;

  @Test
  void areInAFormatThatAnAotCacheTakesAndPassTheVerifier() throws Exception {
    Path original =
        Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    upgrade(original);
    Path jar = folder.resolve(original.getFileName());

    try (var before = new ZipFile(original.toFile());
        var after = new ZipFile(jar.toFile());
        var loader =
            new URLClassLoader(
                new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
      assertThat(names(after)).startsWith(names(before)).endsWith("META-INF/MODIFIED");
      assertThat(names(after)).hasSize(names(before).length + 1);
      for (String name : names(after)) {
        if (name.endsWith(".class") && !name.endsWith("module-info.class")) {
          byte[] content = after.getInputStream(after.getEntry(name)).readAllBytes();
          assertThat(ClassFile.of().parse(content).majorVersion())
              .as(name)
              .isGreaterThanOrEqualTo(ClassFile.JAVA_8_VERSION);
          String type = name.substring(0, name.length() - ".class".length()).replace('/', '.');
          assertThatCode(() -> Class.forName(type, true, loader))
              .as(name)
              .doesNotThrowAnyException();
        }
      }
    }
  }

  private void upgrade(Path jar) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classPath = folder.resolve("other.jar") + File.pathSeparator + jar;
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                classPath,
                "src/main/assembly/UpgradeClassFiles.java",
                jar.getFileName().toString(),
                folder.toString())
            .inheritIO()
            .start();
    assertThat(process.waitFor()).isZero();
  }

  private static String[] names(ZipFile jar) {
    return Collections.list(jar.entries()).stream().map(ZipEntry::getName).toArray(String[]::new);
  }
}
