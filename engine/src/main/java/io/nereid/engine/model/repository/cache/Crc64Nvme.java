package io.nereid.engine.model.repository.cache;

import java.util.zip.Checksum;

/**
 * The CRC-64/NVME of the NVM Express specification, which Amazon S3 computes of every object by
 * default: reflected, polynomial {@code 0xAD93D23594C93659}, all bits set at first and inverted at
 * the end. Eight bytes at a time, by eight tables.
 */
final class Crc64Nvme implements Checksum {
  private static final long REFLECTED_POLYNOMIAL = 0x9A6C9329AC4BC9B5L;
  private static final long[][] TABLES = tables();

  private long remainder = -1;

  private static long[][] tables() {
    long[][] tables = new long[8][256];
    for (int index = 0; index < 256; index++) {
      long value = index;
      for (int bit = 0; bit < 8; bit++) {
        value = (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ REFLECTED_POLYNOMIAL;
      }
      tables[0][index] = value;
    }
    for (int table = 1; table < 8; table++) {
      for (int index = 0; index < 256; index++) {
        long previous = tables[table - 1][index];
        tables[table][index] = (previous >>> 8) ^ tables[0][(int) previous & 0xFF];
      }
    }
    return tables;
  }

  @Override
  public void update(int b) {
    remainder = (remainder >>> 8) ^ TABLES[0][(int) (remainder ^ b) & 0xFF];
  }

  @Override
  public void update(byte[] bytes, int offset, int length) {
    int index = offset;
    int end = offset + length;
    for (; end - index >= 8; index += 8) {
      long value = remainder ^ littleEndian(bytes, index);
      long next = 0;
      for (int table = 7; table >= 0; table--) {
        next ^= TABLES[table][(int) value & 0xFF];
        value >>>= 8;
      }
      remainder = next;
    }
    for (; index < end; index++) {
      update(bytes[index]);
    }
  }

  private static long littleEndian(byte[] bytes, int index) {
    long value = 0;
    for (int each = 7; each >= 0; each--) {
      value = (value << 8) | (bytes[index + each] & 0xFF);
    }
    return value;
  }

  @Override
  public long getValue() {
    return ~remainder;
  }

  @Override
  public void reset() {
    remainder = -1;
  }
}
