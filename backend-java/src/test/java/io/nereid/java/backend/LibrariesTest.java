package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.java.TensorArrays;
import io.nereid.spi.BackendProvider;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Libraries of a model whose classes load native ones, which the JVM ties to a class loader. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class LibrariesTest {
  @TempDir private Path folder;

  /** A native library without dependencies, in a place of its own: the JVM goes by the file. */
  private Path library;

  @BeforeEach
  void copyALibrary() throws IOException {
    String name = System.mapLibraryName("jsig");
    library = folder.resolve(name);
    Files.copy(Path.of(System.getProperty("java.home"), "lib", name), library);
  }

  /** Loads the library once, and counts calls; the number makes its bytes different from others. */
  private String counter(int number) {
    return """
    package acme;
    public final class Counter {
      private static int calls = %d;
      static { System.load("%s"); }
      public static int next() { return ++calls; }
    }
    """
        .formatted(number, library);
  }

  private ModelFolder model(String name) {
    return new ModelFolder(folder.resolve(name))
        .withBody(
            """
            return Response.of(TensorArrays.of("y", new float[] {acme.Counter.next()}, 1));
            """);
  }

  private static float ask(OpenModel model) {
    var x = TensorArrays.of("x", new float[] {1}, 1);
    var outputs = model.execute(List.of(List.of(x))).outputs(0);
    return TensorArrays.floats(Tensors.named(outputs, "y"))[0];
  }

  @Test
  void versionsAndModelsShareTheClassesOfTheFolderLib() {
    ModelFolder first = model("first").withLibrary("counter.jar", "acme/Counter.java", counter(0));
    ModelFolder second = model("second").withLibrary("other.jar", "acme/Counter.java", counter(0));

    try (OpenModel version = first.open();
        OpenModel next = first.open();
        OpenModel other = second.open()) {
      assertThat(ask(version)).isEqualTo(1);
      assertThat(ask(next)).isEqualTo(2);
      assertThat(ask(other)).isEqualTo(3);
    }
    try (OpenModel again = first.open()) {
      assertThat(ask(again)).isEqualTo(4);
    }
  }

  /** The backend's classes once more, as another engine has them. */
  private static final class OtherBackend extends URLClassLoader {
    OtherBackend() {
      super(
          new URL[] {JavaBackend.class.getProtectionDomain().getCodeSource().getLocation()},
          JavaBackend.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null || !name.startsWith("io.nereid.java.")) {
        return loaded == null ? super.loadClass(name, resolve) : loaded;
      }
      return findClass(name);
    }
  }

  @Test
  void anotherEngineSharesThem() throws Exception {
    ModelFolder model = model("m").withLibrary("counter.jar", "acme/Counter.java", counter(60));

    try (var classes = new OtherBackend();
        OpenModel first = model.open()) {
      assertThat(ask(first)).isEqualTo(61);
      var other =
          (BackendProvider)
              classes.loadClass(JavaBackendProvider.class.getName()).getConstructor().newInstance();
      assertThat(other).isNotInstanceOf(JavaBackendProvider.class);
      var files = new ModelFiles(model.directory(), 1);
      try (OpenModel second =
          OpenModel.of(
              BackendUnderTest.of(other, files, ModelFolder.config(0))
                  .withOptions(ModelFolder.ALLOWED))) {
        assertThat(ask(second)).isEqualTo(62);
      }
    }
  }

  @Test
  void aLibraryOfAVersionAloneSaysWhereItsJarBelongs() {
    ModelFolder model = model("m").withClasses("acme/Counter.java", counter(10));

    try (OpenModel version = model.open();
        OpenModel next = model.open()) {
      assertThat(ask(version)).isEqualTo(11);
      assertThatThrownBy(() -> ask(next))
          .hasMessageContaining("already loaded in another classloader")
          .hasMessageContaining("put the jars that load it into the folder 'lib' of the model");
    }
  }

  @Test
  void changedLibrariesHaveALoaderOfTheirOwn() {
    ModelFolder model = model("m").withLibrary("counter.jar", "acme/Counter.java", counter(20));
    try (OpenModel version = model.open()) {
      assertThat(ask(version)).isEqualTo(21);
      model.withLibrary("counter.jar", "acme/Counter.java", counter(30));

      try (OpenModel changed = model.open()) {
        assertThatThrownBy(() -> ask(changed)).hasMessageContaining("Restart the server");
      }
      assertThat(ask(version)).isEqualTo(22);
    }
  }

  @Test
  void loadLibraryFindsANativeLibraryInTheFolderLib() throws IOException {
    String loading = counter(40).replaceFirst("System.load\\(.*\\)", "System.loadLibrary(\"own\")");
    ModelFolder model = model("m").withLibrary("counter.jar", "acme/Counter.java", loading);
    Files.copy(library, folder.resolve("m/lib").resolve(System.mapLibraryName("own")));

    try (OpenModel version = model.open();
        OpenModel next = model.open()) {
      assertThat(ask(version)).isEqualTo(41);
      assertThat(ask(next)).isEqualTo(42);
    }
  }

  @Test
  void librariesSeeThePlatformAndNothingOfTheServer() {
    String curious =
        counter(50).replace("return ++calls", "return io.nereid.tensor.DataType.FP32.byteSize()");
    ModelFolder model = model("m").withLibrary("counter.jar", "acme/Counter.java", curious);

    try (OpenModel version = model.open()) {
      assertThatThrownBy(() -> ask(version))
          .hasMessageContaining("NoClassDefFoundError: io/nereid/tensor/DataType");
    }
  }
}
