package io.nereid.server.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import java.lang.reflect.Proxy;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** When a listener says that it listens. */
class AcceptorTest {
  @Test
  void aSocketThatIsNotBoundYetDoesNotListen() {
    var acceptor = new AtomicReference<Acceptor>();
    List<Boolean> beforeBind = new ArrayList<>();
    WebServerConfig config =
        WebServer.builder().host("127.0.0.1").port(0).shutdownHook(false).buildPrototype();
    var observed =
        (WebServerConfig)
            Proxy.newProxyInstance(
                WebServerConfig.class.getClassLoader(),
                new Class<?>[] {WebServerConfig.class},
                (_, method, arguments) -> {
                  if (arguments != null && arguments[0] instanceof ServerSocketChannel) {
                    beforeBind.add(Objects.requireNonNull(acceptor.get()).isListening());
                  }
                  return method.invoke(config, arguments);
                });
    acceptor.set(new Acceptor(_ -> observed, () -> {}));

    assertThat(acceptor.get().start(0)).isTrue();
    assertThat(beforeBind).isNotEmpty().containsOnly(false);
    assertThat(acceptor.get().isListening()).isTrue();
    acceptor.get().stop();
    assertThat(acceptor.get().isListening()).isFalse();
  }
}
