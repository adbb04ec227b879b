package io.nereid.tck;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class of tests on a server, which is started once for all of them.
 *
 * <p>Unless a class says otherwise, the server gets the repository of {@link TckModels}. Its models
 * name the backends {@code tck_echo}, {@code tck_add_sub} and {@code tck_repeat}, which are in this
 * jar: a server on the same class path finds them by {@link java.util.ServiceLoader}, any other
 * needs this jar where it looks for backends.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ServerVerification implements ServerFactory {
  private @Nullable ServerUnderTest server;
  private @Nullable ControlledServer controlled;

  @BeforeAll
  void startOnce(@TempDir Path directory) throws Exception {
    server = start(directory);
  }

  @AfterAll
  void stopOnce() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  /**
   * Starts the server.
   *
   * @param directory for its models; empty
   */
  protected ServerUnderTest start(Path directory) throws Exception {
    TckModels.extractTo(directory);
    return startServer(directory);
  }

  /** Starts a server in explicit mode, for a class whose tests control its models. */
  protected final ServerUnderTest startControlled(Path directory) throws Exception {
    controlled = ControlledServer.explicit(this, directory);
    return controlled.server();
  }

  protected final ControlledServer controlled() {
    return Objects.requireNonNull(controlled, "the server has not been started");
  }

  protected final ServerUnderTest server() {
    return Objects.requireNonNull(server, "the server has not been started");
  }
}
