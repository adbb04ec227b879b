package io.nereid.engine.cache;

import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;

/**
 * A hash of 128 bits over bytes, seeded at random so that no client can choose requests whose
 * hashes are equal. It need not resist every attack: an entry is compared with the request in full.
 *
 * <p>Like wyhash it folds the 128-bit product of two words, here in four independent lanes that
 * processors multiply in parallel; 8 to 16 bytes per nanosecond.
 */
final class RequestHash {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int LANES = 4;
  private static final int STRIPE = 2 * LANES * Long.BYTES;

  /** What is mixed into the words of each lane. */
  private final long[] secrets = new long[LANES];

  private final long[] seeds = new long[LANES];

  RequestHash(RandomGenerator random) {
    for (int i = 0; i < LANES; i++) {
      secrets[i] = random.nextLong();
      seeds[i] = random.nextLong();
    }
  }

  /** The hash of bytes that were added one segment after the other. */
  final class State {
    private long lane0 = seeds[0];
    private long lane1 = seeds[1];
    private long lane2 = seeds[2];
    private long lane3 = seeds[3];

    /**
     * Adds a few bytes. Arrays have a method of their own, since segments of both kinds are slower.
     */
    void add(byte[] bytes) {
      long a = lane0;
      int i = 0;
      for (; i + Long.BYTES <= bytes.length; i += Long.BYTES) {
        a = fold((long) WORD.get(bytes, i) ^ secrets[0], a);
      }
      long rest = 0;
      for (; i < bytes.length; i++) {
        rest = rest << Byte.SIZE | (bytes[i] & 0xFF);
      }
      lane0 = a;
      lane1 = fold(rest ^ secrets[1], lane1);
      lane2 = fold(bytes.length ^ secrets[2], lane2);
    }

    /** Adds a segment; the length counts too, so that segments are told apart. */
    void add(MemorySegment bytes) {
      long secret0 = secrets[0];
      long secret1 = secrets[1];
      long secret2 = secrets[2];
      long secret3 = secrets[3];
      long a = lane0;
      long b = lane1;
      long c = lane2;
      long d = lane3;
      long size = bytes.byteSize();
      long i = 0;
      for (; i + STRIPE <= size; i += STRIPE) {
        a = fold(word(bytes, i) ^ secret0, word(bytes, i + 8) ^ a);
        b = fold(word(bytes, i + 16) ^ secret1, word(bytes, i + 24) ^ b);
        c = fold(word(bytes, i + 32) ^ secret2, word(bytes, i + 40) ^ c);
        d = fold(word(bytes, i + 48) ^ secret3, word(bytes, i + 56) ^ d);
      }
      for (; i + Long.BYTES <= size; i += Long.BYTES) {
        a = fold(word(bytes, i) ^ secret0, a);
      }
      long rest = 0;
      for (; i < size; i++) {
        rest = rest << Byte.SIZE | (bytes.get(Elements.BYTE, i) & 0xFF);
      }
      lane0 = a;
      lane1 = fold(rest ^ secret1, b);
      lane2 = fold(size ^ secret2, c);
      lane3 = d;
    }

    long high() {
      return fold(lane0 ^ lane1, secrets[0]) ^ fold(lane2 ^ lane3, secrets[1]);
    }

    long low() {
      return fold(lane0 ^ lane2, secrets[2]) ^ fold(lane1 ^ lane3, secrets[3]);
    }
  }

  private static long word(MemorySegment bytes, long offset) {
    return bytes.get(Elements.LONG, offset);
  }

  private static long fold(long a, long b) {
    return a * b ^ Math.unsignedMultiplyHigh(a, b);
  }
}
