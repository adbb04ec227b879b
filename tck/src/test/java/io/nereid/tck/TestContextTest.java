package io.nereid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TestContextTest {
  @Test
  void hasTheOptionsThatATestGivesIt() {
    var context = TestContext.of("b", Map.of("threads", "4")).withFolder(Path.of("jars"));

    assertThat(context.name()).isEqualTo("b");
    assertThat(context.options().integer("threads", 1)).isEqualTo(4);
    assertThat(context.folder()).contains(Path.of("jars").toAbsolutePath());
    assertThat(context.withOptions(Map.of()).options().integer("threads", 1)).isEqualTo(1);
    assertThat(context.withOptions(Map.of()).folder()).isEqualTo(context.folder());
  }

  @Test
  void keepsTheLinesFromInformationOn() {
    var context = TestContext.of("b");
    System.Logger log = context.logger();

    log.log(Level.DEBUG, "a detail");
    log.log(Level.INFO, "{0} threads", 4);
    log.log(Level.WARNING, () -> "supplied");
    log.log(Level.ERROR, "failed", new IllegalStateException("of a test"));
    log.log(Level.OFF, "nothing");

    assertThat(context.lines())
        .containsExactly(
            "INFO 4 threads",
            "WARNING supplied",
            "ERROR failed: java.lang.IllegalStateException: of a test");
    assertThat(log.getName()).isEqualTo("io.nereid.backend.b");
  }

  @Test
  void keepsTheLastThousandLines() {
    var context = TestContext.of("b");
    for (int i = 0; i <= 1000; i++) {
      context.logger().log(Level.INFO, "line " + i);
    }
    assertThat(context.lines()).hasSize(1000).first().isEqualTo("INFO line 1");
  }
}
