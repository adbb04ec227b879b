package io.nereid.s3;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/** Any response of a store, read by the SDK and by us, without a socket. */
class S3ResponseFuzzTest {
  private static final StoredObject OBJECT = new StoredObject("m/1/f", 4, "\"v\"");

  private final CannedClient client = new CannedClient();
  private final ObjectStore store =
      new S3StoreProvider(S3Limits.DEFAULT, client)
          .open(
              "s3://127.0.0.1:1/bucket/models",
              Map.of("AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"));

  /** A page of a listing; the same one again if it says that there are more. */
  @FuzzTest
  void aListingIsReadOrRejected(byte[] input) throws IOException {
    client.respond(200, "", input);
    try {
      assertThat(store.list("m/")).allSatisfy(object -> assertThat(object.key()).startsWith("m/"));
    } catch (ObjectStoreException rejected) {
      assertThat(rejected.getMessage())
          .startsWith("cannot list s3://http://127.0.0.1:1/bucket/models/m/: ")
          .hasSizeLessThan(2000)
          .doesNotContain("\n");
    }
  }

  /** The first byte is the status, what follows is an error: headers, an empty line and a body. */
  @FuzzTest
  void aResponseIsReadOrRejected(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    String response = new String(input, 1, input.length - 1, ISO_8859_1);
    int end = response.indexOf("\n\n");
    String headers = end < 0 ? response : response.substring(0, end);
    byte[] body = end < 0 ? new byte[0] : Arrays.copyOfRange(input, end + 3, input.length);
    client.respond(200 + 2 * (input[0] & 0xff), headers, body);
    try {
      store.checksum(OBJECT).ifPresent(sum -> assertThat(sum.hex()).matches("([0-9a-f]{8})+"));
      store.read(OBJECT, 2).close();
    } catch (ObjectStoreException rejected) {
      assertThat(rejected.getMessage())
          .contains("s3://http://127.0.0.1:1/bucket/models/m/1/f")
          .hasSizeLessThan(2000)
          .doesNotContain("\n");
    }
  }
}
