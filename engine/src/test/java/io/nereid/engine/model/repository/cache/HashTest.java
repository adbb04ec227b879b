package io.nereid.engine.model.repository.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.spi.repository.ObjectChecksum.Algorithm;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.Checksum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HashTest {
  /** The check values of the catalogue of parametrised CRC algorithms, and of the RFCs. */
  @ParameterizedTest
  @CsvSource({
    "CRC32,     cbf43926",
    "CRC32C,    e3069283",
    "CRC64NVME, ae8b14860a799888",
    "MD5,       25f9e794323b453885f5181f1b624d0b",
    "SHA1,      f7c3bc1d808e04732adf679965ccc34ca7ae3441",
    "SHA256,    15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
  })
  void eachAlgorithmGivesItsCheckValueForTheDigitsOneToNine(Algorithm algorithm, String value) {
    byte[] digits = "123456789".getBytes(StandardCharsets.US_ASCII);

    Hash hash = Hash.of(algorithm);
    hash.add(Arrays.copyOf(digits, 4), 4);
    hash.add(Arrays.copyOfRange(digits, 4, 12), 5);

    assertThat(hash.hex()).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 64, 1001})
  void theCrcOfEightBytesAtATimeIsThatOfSingleBytes(int length) {
    byte[] bytes = new byte[length + 3];
    new Random(length).nextBytes(bytes);
    Checksum single = new Crc64Nvme();
    for (int index = 3; index < bytes.length; index++) {
      single.update(bytes[index]);
    }

    Checksum crc = new Crc64Nvme();
    crc.update(bytes, 3, length);

    assertThat(crc.getValue()).isEqualTo(single.getValue());
  }
}
