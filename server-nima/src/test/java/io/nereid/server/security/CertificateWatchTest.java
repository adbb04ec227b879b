package io.nereid.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CertificateWatchTest {
  @TempDir private Path directory;

  @Test
  void goesOnBehindAnError() throws Exception {
    var authority = new TestAuthority("authority");
    authority.write(authority.issue("first"), directory);
    var settings =
        new TlsSettings(
            "http", directory.resolve("cert.pem"), directory.resolve("key.pem"), Optional.empty());
    var looks = new AtomicInteger();
    var lookedAgain = new CountDownLatch(1);
    InstantSource time =
        () -> {
          switch (looks.incrementAndGet()) {
            case 1 -> {} // of the start
            case 2 -> throw new OutOfMemoryError("of a test");
            default -> lookedAgain.countDown();
          }
          return Instant.now();
        };
    ServerTls tls = ServerTls.open(settings, time);
    authority.write(authority.issue("second"), directory);
    try (var _ = CertificateWatch.start(List.of(tls), Duration.ofMillis(1))) {
      while (looks.get() < 2) {
        Thread.onSpinWait();
      }
      authority.write(authority.issue("third"), directory);

      assertThat(lookedAgain.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
