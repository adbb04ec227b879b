package io.nereid.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class CarriersTest {
  private final Properties properties = new Properties();

  @Test
  void areMoreThanFewProcessors() {
    Carriers.configure(properties, 2);
    assertThat(properties).containsEntry("jdk.virtualThreadScheduler.parallelism", "4");
  }

  @Test
  void areTheJdksChoiceForMoreProcessors() {
    Carriers.configure(properties, 4);
    assertThat(properties).isEmpty();
  }

  @Test
  void areWhatAJvmOptionSays() {
    properties.setProperty("jdk.virtualThreadScheduler.parallelism", "1");
    Carriers.configure(properties, 2);
    assertThat(properties).containsEntry("jdk.virtualThreadScheduler.parallelism", "1");
  }
}
