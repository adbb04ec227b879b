package io.nereid.server.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentEncodingTest {
  @ParameterizedTest(name = "[{0}] chooses {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip | GZIP",
        "deflate | DEFLATE",
        "identity | IDENTITY",
        "br | IDENTITY",
        "* | IDENTITY",
        "gzip, deflate | GZIP",
        "deflate, gzip | DEFLATE",
        "gzip;q=0.5, deflate;q=0.6 | DEFLATE",
        "gzip;q=0 | IDENTITY",
        "gzip;q=nonsense | IDENTITY",
        "gzip ;q=1 | IDENTITY",
        "'gzip , deflate' | DEFLATE",
        "GZIP | IDENTITY",
        "identity;q=1, gzip;q=0.9 | IDENTITY"
      })
  void choosesTheFirstEncodingOfTheHighestWeight(String accepted, ContentEncoding expected) {
    assertThat(ContentEncoding.choose(accepted)).isEqualTo(expected);
  }

  @Test
  void compressesResponses() throws IOException {
    byte[] body = "{\"outputs\":[1,1,1,1,1,1,1,1,1,1]}".getBytes(StandardCharsets.UTF_8);

    byte[] gzip = ContentEncoding.GZIP.compress(body, body.length);
    byte[] deflate = ContentEncoding.DEFLATE.compress(body, body.length);

    try (InputStream stream = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
      assertThat(stream.readAllBytes()).isEqualTo(body);
    }
    try (InputStream stream = new InflaterInputStream(new ByteArrayInputStream(deflate))) {
      assertThat(stream.readAllBytes()).isEqualTo(body);
    }
  }
}
