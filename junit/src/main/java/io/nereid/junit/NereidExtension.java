package io.nereid.junit;

import io.nereid.client.NereidClient;
import io.nereid.error.InferenceException;
import io.nereid.error.IoReason;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
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
    var _ = server(context);
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

  /** The server of a test's configuration, which starts with the first call. */
  private static TestServer server(ExtensionContext context) {
    Class<?> test = context.getRequiredTestClass();
    NereidTest annotation =
        AnnotationSupport.findAnnotation(test, NereidTest.class, context.getEnclosingTestClasses())
            .orElseThrow();
    var configuration = ServerConfiguration.of(annotation, test);
    Store store = context.getRoot().getStore(SERVERS);
    ServerLog log = store.computeIfAbsent(JvmLog.class, _ -> new JvmLog(), JvmLog.class).log();
    TestServer server =
        store.computeIfAbsent(configuration, key -> Start.of(key, log), Start.class).server();
    context.getStore(SERVERS).put(ServerLog.class, server.log());
    return server;
  }

  /**
   * The only start of a configuration, which may have failed. The close stops the server.
   *
   * @param failure why there is no server
   * @param cause null if the failure says everything
   */
  private record Start(@Nullable TestServer started, String failure, @Nullable Throwable cause)
      implements AutoCloseable {
    static Start of(ServerConfiguration configuration, ServerLog log) {
      try {
        return new Start(TestServer.start(configuration, log), "", null);
      } catch (IOException | RuntimeException failed) {
        if (configuration.distribution().isEmpty()) { // otherwise the log is that of the process
          log.show("The log of the servers in this JVM", System.err);
        }
        String reason =
            failed instanceof IOException file ? IoReason.withPath(file) : failed.getMessage();
        boolean isExpected =
            failed instanceof IOException
                || failed instanceof InferenceException
                || failed instanceof IllegalArgumentException; // a wrong option
        return new Start(
            null,
            "the server of %s did not start: %s".formatted(configuration, reason),
            isExpected ? null : failed);
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
