package io.nereid.server.frontend;

import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;

/**
 * The highest elements of each item of a batch, best first; of equal ones the first is better.
 * While an item is read, its best are a heap whose root is the worst of them.
 *
 * <pre>{@code
 * best.begin();
 * best.add(key, index); // for each element
 * best.end();
 * }</pre>
 */
final class BestElements implements AutoCloseable {
  private final int most;
  private final long items;
  private final Lease keyLease;
  private final Lease indexLease;
  private final MemorySegment keys;

  /** Of all items. */
  private final MemorySegment indexes;

  /** Where the present item begins among all indexes. */
  private long start;

  private long ended;
  private int size;

  /**
   * @param most elements of an item; an item has as many at least
   * @param items that will be read
   */
  BestElements(int most, long items, LeaseSource memory) {
    this.most = most;
    this.items = items;
    keyLease = memory.lease((long) most * Long.BYTES);
    try {
      indexLease = memory.lease(most * items * Integer.BYTES);
    } catch (RuntimeException exhausted) {
      keyLease.close();
      throw exhausted;
    }
    keys = keyLease.segment();
    indexes = indexLease.segment();
  }

  /** Begins with the next item. */
  void begin() {
    start = ended * most;
    size = 0;
  }

  void add(long key, int index) {
    if (size < most) {
      up(size++, key, index);
    } else if (key > key(0)) {
      down(0, key, index);
    }
  }

  /** Orders the elements of the item. */
  void end() {
    while (size > 1) {
      size--;
      long key = key(size);
      int index = heapIndex(size);
      set(size, key(0), heapIndex(0));
      down(0, key, index);
    }
    ended++;
  }

  /** The number of elements, of all items. */
  long count() {
    return most * items;
  }

  /** The item of an element. */
  long item(long element) {
    return element / most;
  }

  /** The place of an element in its item. */
  int index(long element) {
    return indexes.get(Elements.INT, element * Integer.BYTES);
  }

  /** Moves an element up from a free place. */
  private void up(int from, long key, int index) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isWorse(key, index, parent)) {
        break;
      }
      set(place, key(parent), heapIndex(parent));
      place = parent;
    }
    set(place, key, index);
  }

  /** Moves an element down from a free place. */
  private void down(int from, long key, int index) {
    int place = from;
    while (true) {
      int child = 2 * place + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && isWorse(key(child + 1), heapIndex(child + 1), child)) {
        child++;
      }
      if (isWorse(key, index, child)) {
        break;
      }
      set(place, key(child), heapIndex(child));
      place = child;
    }
    set(place, key, index);
  }

  /** Whether an element is worse than that at a place. */
  private boolean isWorse(long key, int index, int place) {
    long other = key(place);
    return key < other || (key == other && index > heapIndex(place));
  }

  private long key(int place) {
    return keys.get(Elements.LONG, (long) place * Long.BYTES);
  }

  private int heapIndex(int place) {
    return index(start + place);
  }

  private void set(int place, long key, int index) {
    keys.set(Elements.LONG, (long) place * Long.BYTES, key);
    indexes.set(Elements.INT, (start + place) * Integer.BYTES, index);
  }

  @Override
  public void close() {
    keyLease.close();
    indexLease.close();
  }
}
