package io.nereid.junit;

import static java.util.Objects.requireNonNull;

import io.nereid.client.NereidClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Does what {@link NereidTest} says. The servers are values of the root's store, which closes them,
 * the last one first, after the last test; the log of this JVM comes before all of them.
 */
final class NereidExtension
    implements BeforeAllCallback, AfterAllCallback, ParameterResolver, TestWatcher {
  private static final Namespace SERVERS = Namespace.create(NereidExtension.class);

  @Override
  public void beforeAll(ExtensionContext context) {
    server(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) { // of a life cycle method
      show(context);
    }
  }

  @Override
  public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
    show(context);
  }

  private static void show(ExtensionContext context) {
    ServerLog log = context.getStore(SERVERS).get(ServerLog.class, ServerLog.class);
    if (log != null) {
      log.show("The server's log, shown since " + context.getDisplayName() + " failed", System.err);
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == NereidClient.class || type == ServerAddresses.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestServer server = server(context);
    if (parameter.getParameter().getType() == ServerAddresses.class) {
      return server.addresses();
    }
    return parameter.isAnnotated(OverGrpc.class) ? server.grpc() : server.rest();
  }

  /** The annotation of a test's class, or of one that it is nested in. */
  private static NereidTest annotation(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestClass(), NereidTest.class)
        .orElseGet(() -> annotation(context.getParent().orElseThrow()));
  }

  /**
   * The server of a test's configuration, which starts with the first call. The method of the store
   * and the type of its values that are deprecated are those that JUnit 5.12 has.
   */
  @SuppressWarnings("deprecation")
  private static TestServer server(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    var configuration = ServerConfiguration.of(annotation(context), test);
    Store store = context.getRoot().getStore(SERVERS);
    ServerLog log =
        requireNonNull(store.getOrComputeIfAbsent(JvmLog.class, key -> new JvmLog(), JvmLog.class))
            .log();
    TestServer server =
        requireNonNull(
                store.getOrComputeIfAbsent(configuration, key -> Start.of(key, log), Start.class))
            .server();
    context.getStore(SERVERS).put(ServerLog.class, server.log());
    return server;
  }

  /**
   * The only start of a configuration, which may have failed. The close stops the server.
   *
   * @param failure why there is no server
   * @param cause null if the failure says everything
   */
  @SuppressWarnings("deprecation") // JUnit 5.12 closes no other values of its stores
  private record Start(@Nullable TestServer started, String failure, @Nullable Throwable cause)
      implements AutoCloseable, CloseableResource {
    static Start of(ServerConfiguration configuration, ServerLog log) {
      try {
        return new Start(TestServer.start(configuration, log), "", null);
      } catch (IOException | RuntimeException failed) {
        if (configuration.distribution().isEmpty()) { // otherwise the log is that of the process
          log.show("The log of the servers in this JVM", System.err);
        }
        return new Start(
            null,
            "the server of %s did not start: %s".formatted(configuration, failed.getMessage()),
            failed instanceof IOException ? null : failed);
      }
    }

    TestServer server() {
      if (started == null) {
        throw new ExtensionConfigurationException(failure, cause);
      }
      return started;
    }

    @Override
    public void close() {
      if (started != null) {
        started.close();
      }
    }
  }
}
