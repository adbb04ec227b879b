package io.nereid.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class of tests on a server, which is started once for all of them by the class itself or by the
 * one that it is nested in, whichever is a {@link ServerFactory}. {@code ServerSuite} has them all.
 *
 * <p>Unless a class says otherwise, the server gets the repository of {@link TckModels}. Its models
 * name the backends {@code tck_echo}, {@code tck_add_sub} and {@code tck_repeat}, which are in this
 * jar: a server on the same class path finds them by {@link java.util.ServiceLoader}, any other
 * needs this jar where it looks for backends.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(ServerFactoryResolver.class)
public abstract class ServerVerification {
  private @Nullable ServerFactory servers;
  private @Nullable ServerUnderTest server;
  private @Nullable ControlledServer controlled;

  @BeforeAll
  void startOnce(@TempDir Path directory, ServerFactory factory) throws Exception {
    servers = factory;
    server = start(directory);
  }

  @AfterAll
  void stopOnce() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  /**
   * Starts the server, or finds one that other classes have asked before.
   *
   * @param directory for its models; empty
   */
  protected ServerUnderTest start(Path directory) throws Exception {
    return servers().startShared(directory);
  }

  /** Starts a server of its own, for a class whose tests count from 0. */
  protected final ServerUnderTest startFresh(Path directory) throws Exception {
    TckModels.extractTo(directory);
    return servers().startServer(directory);
  }

  /** Starts a server in explicit mode, for a class whose tests control its models. */
  protected final ServerUnderTest startControlled(Path directory) throws Exception {
    controlled = ControlledServer.start(servers(), directory, ModelControlMode.EXPLICIT, "simple");
    return controlled.server();
  }

  protected final ControlledServer controlled() {
    return Objects.requireNonNull(controlled, "the server has not been started");
  }

  /** Starts servers: the class itself, or the suite around it. */
  protected final ServerFactory servers() {
    return Objects.requireNonNull(servers, "no server has been started");
  }

  /** Skips a test that counts what the server does from its start on, if others have asked it. */
  protected final void requireFreshServer() {
    assumeTrue(server().isFresh(), "counts begin at 0 on a server that the kit starts");
  }

  protected final ServerUnderTest server() {
    return Objects.requireNonNull(server, "the server has not been started");
  }
}
