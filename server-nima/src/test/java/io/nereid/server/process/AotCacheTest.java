package io.nereid.server.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class AotCacheTest {
  private final Properties jvm = new Properties();

  @Test
  void isNotMissedByAJvmWithoutTheLauncher() {
    assertThat(AotCache.notice(jvm)).isEmpty();
  }

  @Test
  void isNotMissedWhenTheJvmHasIt() {
    jvm.setProperty("nereid.aot.obstacle", "");
    jvm.setProperty("java.vm.info", "mixed mode, sharing");
    assertThat(AotCache.notice(jvm)).isEmpty();
  }

  @Test
  void theLaunchersReasonIsGiven() {
    jvm.setProperty("nereid.aot.obstacle", "there is no nereid.aot");
    jvm.setProperty("java.vm.info", "mixed mode, sharing");
    assertThat(AotCache.notice(jvm))
        .hasValue(
            "starts without an AOT cache, which takes longer: there is no nereid.aot;"
                + " 'bin/nereid aot' makes one");
  }

  @Test
  void aCacheThatTheJvmDoesNotTakeIsNamed() {
    jvm.setProperty("nereid.aot.obstacle", "");
    jvm.setProperty("java.vm.info", "mixed mode");
    assertThat(AotCache.notice(jvm))
        .hasValueSatisfying(text -> assertThat(text).contains("it does not fit the JVM's options"));
  }
}
