package io.nereid.spi.cache;

/** The outcome of an insertion. */
public enum Insertion {
  /** The entry was inserted. */
  INSERTED,
  /** There is an entry with that key, or it is being inserted; it is kept. */
  ALREADY_EXISTS,
  /** There is no room for the entry: it is larger than the cache, or all memory is being read. */
  NO_ROOM
}
