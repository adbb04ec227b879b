package io.nereid.junit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What starts a server in the JVM of the tests. The one there is comes with {@code
 * io.nereid:nereid-junit-jvm}, and is found by {@link java.util.ServiceLoader}.
 */
public interface ServerStarter {
  /**
   * Starts a server on free ports of the loopback address; returns once it is ready.
   *
   * @param repositories absolute
   * @param options each {@code name=value}, without hyphens
   * @throws IOException if it does not start; the message is the reason
   */
  RunningServer start(List<Path> repositories, List<String> options) throws IOException;
}
