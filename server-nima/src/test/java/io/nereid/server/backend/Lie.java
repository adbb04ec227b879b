package io.nereid.server.backend;

import io.nereid.spi.Batch;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a {@link LyingBackend} does wrong for one request, which has one row of INT32 and expects
 * {@code OUT}, INT32 of two elements, and {@code TEXT}, any number of BYTES.
 */
enum Lie {
  TYPE("output 'OUT': type FP32, expected INT32") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.FP32, Shape.of(1, 2), 8);
    }
  },
  TYPE_OF_GIVEN_MEMORY("output 'OUT': type FP32, expected INT32") {
    @Override
    void tell(Batch batch, int index, Results results) {
      give(index, results, DataType.FP32, Shape.of(1, 2), Arena.ofAuto().allocate(8));
    }
  },
  DIMS("output 'OUT': shape [1,3], expected [1,2]") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.INT32, Shape.of(1, 3), 12);
    }
  },
  NO_BATCH_DIMENSION("output 'OUT': shape [2], expected [1,2]") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.INT32, Shape.of(2), 8);
    }
  },
  NEGATIVE_DIMS("output 'TEXT': shape [1,-1], expected [1,-1] without negative dimensions") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "TEXT", DataType.BYTES, Shape.of(1, -1), 4);
    }
  },
  RANK("output 'OUT': shape of 1000000 dimensions, expected [1,2]") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.INT32, Shape.of(new long[1_000_000]), 8);
    }
  },
  OVERFLOW(
      "output 'FREE': shape [1,4611686018427387904,4], expected at most 9223372036854775807 bytes") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "FREE", DataType.INT32, Shape.of(1, 1L << 62, 4), 8);
    }
  },
  ROWS("output 'OUT': shape [2,2], expected [1,2]") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.INT32, Shape.of(2, 2), 16);
    }
  },
  SIZE("output 'OUT': 4 bytes, expected 8 for the shape [1,2] of INT32") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "OUT", DataType.INT32, Shape.of(1, 2), 4);
    }
  },
  SIZE_OF_GIVEN_MEMORY("output 'OUT': 12 bytes, expected 8 for the shape [1,2] of INT32") {
    @Override
    void tell(Batch batch, int index, Results results) {
      give(index, results, DataType.INT32, Shape.of(1, 2), Arena.ofAuto().allocate(12));
    }
  },
  NAME("output 'NONE': not declared by the model, expected one of 'OUT', 'TEXT', 'FREE'") {
    @Override
    void tell(Batch batch, int index, Results results) {
      results.allocate(index, "NONE", DataType.INT32, Shape.of(1, 2), 8);
    }
  },
  TWICE("output 'OUT': given twice, expected once") {
    @Override
    void tell(Batch batch, int index, Results results) {
      LyingBackend.tellTheTruth(batch, index, results);
      LyingBackend.tellTheTruth(batch, index, results);
    }
  },
  CLOSED_MEMORY(
      "output 'OUT': memory that is closed, expected memory that is open until its" + " release") {
    @Override
    void tell(Batch batch, int index, Results results) {
      MemorySegment data;
      try (var arena = Arena.ofShared()) {
        data = arena.allocate(8);
      }
      give(index, results, DataType.INT32, Shape.of(1, 2), data);
    }
  },
  MEMORY_CLOSED_LATER(
      "output 'OUT': memory that is closed, expected memory that is open until its release") {
    @Override
    void tell(Batch batch, int index, Results results) {
      try (var arena = Arena.ofShared()) {
        give(index, results, DataType.INT32, Shape.of(1, 2), arena.allocate(8));
      }
    }
  },
  CONFINED_MEMORY(
      "output 'OUT': memory of a confined arena, expected memory that every thread may read") {
    @Override
    void tell(Batch batch, int index, Results results) {
      give(index, results, DataType.INT32, Shape.of(1, 2), Arena.ofConfined().allocate(8));
    }
  },
  HEAP_MEMORY("output 'OUT': memory on the Java heap, expected native memory") {
    @Override
    void tell(Batch batch, int index, Results results) {
      MemorySegment data = MemorySegment.ofArray(new float[2]);
      give(index, results, DataType.INT32, Shape.of(1, 2), data);
    }
  },
  TOO_FEW_ELEMENTS(
      "output 'TEXT': 1 whole elements of BYTES in 5 bytes, expected 2 for the shape [1,2]") {
    @Override
    void tell(Batch batch, int index, Results results) {
      text(index, results, 2, 5).set(Elements.INT, 0, 1);
    }
  },
  ELEMENT_BEYOND_THE_MEMORY(
      "output 'TEXT': a length of 4294967295 bytes of element 0 of BYTES, expected at most the 4"
          + " bytes that follow it") {
    @Override
    void tell(Batch batch, int index, Results results) {
      text(index, results, 1, 8).set(Elements.INT, 0, -1);
    }
  },
  BYTES_BEHIND_THE_ELEMENTS("output 'TEXT': 3 bytes behind 1 elements of BYTES, expected none") {
    @Override
    void tell(Batch batch, int index, Results results) {
      text(index, results, 1, 8).set(Elements.INT, 0, 1);
    }
  },
  GIVEN_ELEMENTS("output 'TEXT': 0 whole elements of BYTES in 3 bytes, expected 1") {
    @Override
    void tell(Batch batch, int index, Results results) {
      MemorySegment data = Arena.ofAuto().allocate(3);
      results.give(index, new Tensor("TEXT", DataType.BYTES, Shape.of(1, 1), data), () -> {});
    }
  };

  private final String sentence;

  Lie(String sentence) {
    this.sentence = sentence;
  }

  /** What the client is told, after the names of backend and model. */
  String sentence() {
    return sentence;
  }

  abstract void tell(Batch batch, int index, Results results);

  private static void give(
      int index, Results results, DataType type, Shape shape, MemorySegment data) {
    results.give(index, new Tensor("OUT", type, shape, data), () -> {});
  }

  private static MemorySegment text(int index, Results results, int count, int byteSize) {
    return results.allocate(index, "TEXT", DataType.BYTES, Shape.of(1, count), byteSize);
  }
}
