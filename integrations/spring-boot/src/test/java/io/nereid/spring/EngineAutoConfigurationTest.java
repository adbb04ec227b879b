package io.nereid.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nereid.engine.Engine;
import io.nereid.engine.ModelRequest;
import io.nereid.micrometer.EngineMetrics;
import io.nereid.server.NereidServer;
import io.nereid.tck.TckModels;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** With Spring Boot 3.5, and the health of Spring Boot 4; its own application is in examples. */
class EngineAutoConfigurationTest {
  @TempDir static Path repository;

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
                  org.springframework.boot.health.contributor.HealthIndicator.class));

  private final ApplicationContextRunner engine =
      application.withPropertyValues(
          "nereid.engine.repository=" + repository, "nereid.engine.models=simple,identity_bytes");

  @BeforeAll
  static void extract() throws IOException {
    TckModels.extractTo(repository);
  }

  private static ModelRequest simple() {
    return ModelRequest.to("simple")
        .input("INPUT0", Shape.of(1, 16), new int[16])
        .input("INPUT1", Shape.of(1, 16), new int[16])
        .build();
  }

  @Test
  void anEngineServesTheModelsThatThePropertiesName() {
    engine.run(context -> {
      Engine bean = context.getBean(Engine.class);
      bean.infer(simple()).close();
      assertThat(bean.health().serving()).isEqualTo(2);
      assertThat(context).doesNotHaveBean(NereidServer.class);
      context.close();
      assertThat(bean.isReady()).isFalse();
    });
  }

  @Test
  void thereIsNoEngineWithoutARepository() {
    application.run(context -> assertThat(context).doesNotHaveBean(Engine.class));
  }

  @Test
  void anEngineOfTheApplicationIsTheOnlyOneAndHasMetersAndHealth() {
    application
        .withBean(
            "own",
            Engine.class,
            () -> {
              try {
                return Engine.builder().repository(repository).startWith("simple").open();
              } catch (IOException failed) {
                throw new IllegalStateException(failed);
              }
            })
        .withPropertyValues("nereid.engine.repository=" + repository)
        .run(context -> {
          assertThat(context).hasSingleBean(Engine.class).hasBean("own");
          assertThat(context).hasSingleBean(EngineMetrics.class);
          assertThat(context).hasBean("nereidEngineHealthIndicator");
        });
  }

  @Test
  void aCustomizerSetsWhatThePropertiesDoNotHave() {
    engine
        .withBean(EngineCustomizer.class, () -> builder -> builder.startWith("simple"))
        .run(context -> assertThat(context.getBean(Engine.class).health().serving()).isEqualTo(1));
  }

  @Test
  void frontEndsServeTheSameEngine() {
    engine
        .withPropertyValues(
            "nereid.engine.front-ends.enabled=true",
            "nereid.engine.front-ends.http-port=0",
            "nereid.engine.front-ends.grpc-port=0",
            "nereid.engine.front-ends.options.id=of-the-test")
        .run(context -> {
          NereidServer server = context.getBean(NereidServer.class);
          Engine bean = context.getBean(Engine.class);
          assertThat(server.httpPort()).isPositive();
          assertThat(bean.health().serving()).isEqualTo(2);
          context.close();
          assertThat(bean.isReady()).isFalse();
        });
  }

  @Test
  void frontEndsWithoutTheirLibraryAreRefusedByItsName() {
    engine
        .withClassLoader(
            new FilteredClassLoader(
                NereidServer.class,
                org.springframework.boot.health.contributor.HealthIndicator.class))
        .withPropertyValues("nereid.engine.front-ends.enabled=true")
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessage(
                    "nereid.engine.front-ends.enabled is true, and io.nereid:nereid-server-nima is"
                        + " not on the class path"));
  }

  @Test
  void withoutTheEnginesLibraryNothingOfItIsLoaded() {
    engine
        .withClassLoader(new FilteredClassLoader("io.nereid.engine", "io.nereid.server"))
        .run(context -> {
          assertThat(context).hasNotFailed();
          assertThat(context).doesNotHaveBean("nereidEngine");
        });
  }

  @Test
  void metersGoWithTheApplication() {
    engine.run(context -> {
      var registry = new SimpleMeterRegistry();
      context.getBean(EngineMetrics.class).bindTo(registry);
      assertThat(registry.get("nereid.requests").tag("model", "simple").functionTimers())
          .hasSize(1);
      context.close();
      assertThat(registry.getMeters()).isEmpty();
    });
  }

  @Test
  void healthOfBoot3CountsWhatServesAndNamesWhatDoesNot() {
    engine.run(context -> {
      var indicator =
          context.getBean(org.springframework.boot.actuate.health.HealthIndicator.class);
      assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");
      assertThat(indicator.health().getDetails())
          .containsEntry("serving", 2)
          .containsEntry("notReady", List.of());
      context.getBean(Engine.class).close();
      assertThat(indicator.health().getStatus().getCode()).isEqualTo("OUT_OF_SERVICE");
    });
  }

  @Test
  void healthOfBoot4CountsWhatServesAndNamesWhatDoesNot() {
    engine
        .withClassLoader(
            new FilteredClassLoader(org.springframework.boot.actuate.health.HealthIndicator.class))
        .run(context -> {
          var indicator =
              context.getBean(org.springframework.boot.health.contributor.HealthIndicator.class);
          var health = Objects.requireNonNull(indicator.health());
          assertThat(health.getStatus().getCode()).isEqualTo("UP");
          assertThat(health.getDetails())
              .containsEntry("serving", 2)
              .containsEntry("notReady", List.of());
        });
  }

  @Test
  void healthIsLeftOutWhereAPropertySaysSo() {
    engine
        .withPropertyValues("management.health.nereid-engine.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean("nereidEngineHealthIndicator"));
  }

  @Test
  void anApplicationWhoseModelsDoNotLoadIsToldWhich() {
    engine
        .withPropertyValues("nereid.engine.models=none_such")
        .run(context -> {
          FailureAnalysis analysis =
              new EngineFailureAnalyzer().analyze(context.getStartupFailure());
          assertThat(analysis.getDescription()).contains("none_such");
          assertThat(analysis.getAction()).contains("nereid.engine.repository");
        });
  }

  @Test
  void theExitTimeoutIsADuration() {
    engine
        .withPropertyValues("nereid.engine.front-ends.exit-timeout=5s")
        .run(context ->
            assertThat(context.getBean(EngineProperties.class).frontEnds().exitTimeout())
                .isEqualTo(Duration.ofSeconds(5)));
  }
}
