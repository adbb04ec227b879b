package io.nereid.client;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application whose class path has older libraries: they lack classes of newer ones. */
class OlderLibrariesTest {
  private static final class Older extends URLClassLoader {
    private final String newer;

    /**
     * @param newer what the names of classes begin with that are not there
     */
    Older(String newer, URL[] path) {
      super(path, ClassLoader.getPlatformClassLoader());
      this.newer = newer;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(newer)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }

  private static void connect(String newer, String address) throws Throwable {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<URL> urls = new ArrayList<>();
    for (String entry : path.split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (var older = new Older(newer, urls.toArray(URL[]::new))) {
      Thread.currentThread().setContextClassLoader(older);
      Class<?> client = Class.forName(NereidClient.class.getName(), true, older);
      client.getMethod("connect", String.class).invoke(null, address);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  void restNamesTheVersionOfJackson() {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            connect("com.fasterxml.jackson.core.StreamReadConstraints", "http://localhost:8000"))
        .withMessageMatching(
            "REST needs com.fasterxml.jackson.core:jackson-core 2\\.15 or later on the class path,"
                + " which has 2\\.\\d+\\.\\d+");
  }

  @Test
  void restSaysThatJacksonIsMissing() {
    assertThatIllegalStateException()
        .isThrownBy(() -> connect("com.fasterxml.jackson", "http://localhost:8000"))
        .withMessageEndingWith(" 2.15 or later on the class path, which has none");
  }

  @Test
  void grpcNamesTheFileOfProtobuf() {
    assertThatIllegalStateException()
        .isThrownBy(() -> connect("com.google.protobuf.RuntimeVersion", "grpc://localhost:8001"))
        .withMessageMatching(
            "gRPC needs com.google.protobuf:protobuf-java 4.29.3 or later on the class path, which has"
                + " file:.*protobuf-java-.*\\.jar");
  }

  @Test
  void grpcNamesTheFileOfItsApi() {
    assertThatIllegalStateException()
        .isThrownBy(() -> connect("io.grpc.InsecureChannelCredentials", "grpc://localhost:8001"))
        .withMessageMatching(
            "gRPC needs io.grpc:grpc-api 1.34.1 or later on the class path, which has"
                + " file:.*grpc-api-.*\\.jar");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"io.grpc.", "io.grpc.stub.", "com.google.protobuf.", "io.nereid.protocol."})
  void grpcSaysWhatIsMissing(String library) {
    assertThatIllegalStateException()
        .isThrownBy(() -> connect(library, "grpc://localhost:8001"))
        .withMessageStartingWith("gRPC needs io.nereid:nereid-protocol, io.grpc:grpc-protobuf, ");
  }
}
