package io.nereid.engine.model.repository.cache;

import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;

/** An object store in memory, which fails as a test says and records requests. Thread-safe. */
public final class TestStore implements ObjectStore {
  private final Map<String, byte[]> contents = new TreeMap<>();
  private final Map<String, Integer> versions = new HashMap<>();
  private final Map<String, ObjectChecksum> checksums = new HashMap<>();
  private final Queue<IOException> failures = new ArrayDeque<>();
  private final Queue<Cut> cuts = new ArrayDeque<>();

  /** The requests, such as {@code read m/model 100}. */
  public final List<String> requests = new ArrayList<>();

  /** Runs when an object is read, before its content is sent. */
  public Runnable onRead = () -> {};

  public synchronized void put(String key, byte[] content) {
    contents.put(key, content.clone());
    versions.merge(key, 1, Integer::sum);
  }

  public void remove(String key) {
    contents.remove(key);
  }

  public void putChecksum(String key, ObjectChecksum checksum) {
    checksums.put(key, checksum);
  }

  /** Has the next request fail; may be called several times. */
  public synchronized void fail(IOException failure) {
    failures.add(failure);
  }

  public void failAsUnavailable(int times) {
    for (int each = 0; each < times; each++) {
      fail(new ObjectStoreException(Reason.UNAVAILABLE, "slow down"));
    }
  }

  /** Has the connection of the next read break after some bytes; may be called several times. */
  public void cutAfter(int bytes) {
    cuts.add(new Cut(bytes, true));
  }

  /** Has the next read end after some bytes as if that were all; may be called several times. */
  public void endAfter(int bytes) {
    cuts.add(new Cut(bytes, false));
  }

  public synchronized StoredObject object(String key) {
    byte[] content = contents.get(key);
    if (content == null) {
      throw new IllegalArgumentException("no object " + key);
    }
    return new StoredObject(key, content.length, "v" + versions.get(key));
  }

  private void request(String text) throws IOException {
    requests.add(text);
    IOException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public synchronized List<StoredObject> list(String prefix) throws IOException {
    request("list " + prefix);
    return contents.keySet().stream()
        .filter(key -> key.startsWith(prefix))
        .map(this::object)
        .toList();
  }

  @Override
  public synchronized InputStream read(StoredObject object, long offset) throws IOException {
    request("read %s %d".formatted(object.key(), offset));
    requireSame(object);
    byte[] content = Objects.requireNonNull(contents.get(object.key()));
    Cut cut = cuts.poll();
    int end = cut == null ? content.length : (int) offset + cut.bytes();
    onRead.run();
    InputStream bytes = new ByteArrayInputStream(Arrays.copyOfRange(content, (int) offset, end));
    return cut != null && cut.breaks()
        ? new SequenceInputStream(bytes, new BrokenConnection())
        : bytes;
  }

  private void requireSame(StoredObject object) throws ObjectStoreException {
    if (!contents.containsKey(object.key())) {
      throw new ObjectStoreException(Reason.NOT_FOUND, object.key() + " does not exist");
    }
    if (!object(object.key()).equals(object)) {
      throw new ObjectStoreException(Reason.CHANGED, object.key() + " has changed");
    }
  }

  @Override
  public synchronized Optional<ObjectChecksum> checksum(StoredObject object) throws IOException {
    requireSame(object);
    return Optional.ofNullable(checksums.get(object.key()));
  }

  @Override
  public void close() {}

  private record Cut(int bytes, boolean breaks) {}

  private static final class BrokenConnection extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("Connection reset");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return read();
    }
  }
}
