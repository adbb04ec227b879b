package io.nereid.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.nereid.client.CallInterceptor;
import io.nereid.client.NereidClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ClientAutoConfigurationTest {
  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  NereidEngineAutoConfiguration.class,
                  NereidClientAutoConfiguration.class,
                  NereidMetersAutoConfiguration.class,
                  Boot3HealthAutoConfiguration.class,
                  Boot4HealthAutoConfiguration.class))
          .withClassLoader(
              new FilteredClassLoader(
                  "io.nereid.engine", "io.nereid.server", "org.springframework.boot.health"));

  private final AtomicInteger status = new AtomicInteger(200);
  private final List<String> tenants = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          tenants.add(exchange.getRequestHeaders().getFirst("x-tenant"));
          exchange.sendResponseHeaders(status.get(), -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private ApplicationContextRunner client() {
    return application.withPropertyValues(
        "nereid.client.address=http://127.0.0.1:" + server.getAddress().getPort(),
        "nereid.client.deadline=10s",
        "nereid.client.connections=2",
        "nereid.client.headers.x-tenant=a");
  }

  @Test
  void aClientAsksTheServerThatThePropertiesName() {
    client()
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(context.getBean(NereidClient.class).server().isReady()).isTrue();
          assertThat(tenants).containsExactly("a");
        });
  }

  @Test
  void thereIsNoClientWithoutAnAddress() {
    application.run(context -> assertThat(context).doesNotHaveBean(NereidClient.class));
  }

  @Test
  void healthIsThatOfTheServer() {
    client()
        .run(context -> {
          HealthIndicator indicator = context.getBean(HealthIndicator.class);
          assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");
          status.set(503);
          assertThat(indicator.health().getStatus().getCode()).isEqualTo("OUT_OF_SERVICE");
          assertThat(indicator.health().getDetails()).containsKey("address");
        });
  }

  @Test
  void callsAreObservedWhereTheApplicationHasARegistry() {
    var meters = new SimpleMeterRegistry();
    var observations = ObservationRegistry.create();
    observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    client()
        .withBean(ObservationRegistry.class, () -> observations)
        .run(context -> {
          assertThat(context.getBean(NereidClient.class).server().isReady()).isTrue();
          assertThat(meters.get("nereid.client.calls").tag("code", "OK").timer().count()).isOne();
        });
  }

  @Test
  void interceptorsAndCustomizersAreBeans() {
    client()
        .withBean(
            ClientCustomizer.class,
            () ->
                builder -> {
                  throw new IllegalStateException("of the customizer");
                })
        .run(context ->
            assertThat(context).getFailure().rootCause().hasMessage("of the customizer"));
    client()
        .withBean(CallInterceptor.class, () -> call -> call.header("x-tenant", "b"))
        .run(context -> {
          assertThat(context.getBean(NereidClient.class).server().isReady()).isTrue();
          assertThat(tenants).containsExactly("b");
        });
  }
}
