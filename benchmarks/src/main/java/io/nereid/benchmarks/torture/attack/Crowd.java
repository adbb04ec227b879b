package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.wire.RawConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many connections that have each sent the same bytes. Used by one thread. */
public final class Crowd implements AutoCloseable {
  private static final Duration OPEN_LIMIT = Duration.ofSeconds(20);

  private final List<RawConnection> connections = new ArrayList<>();
  private int refused;

  private Crowd() {}

  /**
   * Opens {@code count} connections and sends {@code bytes} on each; those that fail are counted.
   */
  public static Crowd open(InetSocketAddress server, int count, byte[] bytes) throws IOException {
    return open(server, count, bytes, 0);
  }

  /** As the other, with connections whose receive buffers hold about {@code receiveBytes}. */
  public static Crowd open(InetSocketAddress server, int count, byte[] bytes, int receiveBytes)
      throws IOException {
    var crowd = new Crowd();
    long deadline = System.nanoTime() + OPEN_LIMIT.toNanos();
    for (int i = 0; i < count; i++) {
      if (System.nanoTime() - deadline > 0) {
        crowd.refused += count - i;
        break;
      }
      crowd.add(server, bytes, receiveBytes);
    }
    return crowd;
  }

  private void add(InetSocketAddress server, byte[] bytes, int receiveBytes) throws IOException {
    RawConnection connection;
    try {
      connection = RawConnection.open(server, receiveBytes);
    } catch (IOException _) {
      refused++;
      return;
    }
    try {
      connection.send(bytes);
      connections.add(connection);
    } catch (IOException _) {
      refused++;
      connection.close();
    }
  }

  /** The connections that could be opened. */
  public int size() {
    return connections.size();
  }

  /** The connections that could not be opened, or were closed before they had sent their bytes. */
  public int refused() {
    return refused;
  }

  /** On how many connections an answer has begun to come. */
  public int answered() throws InterruptedException {
    return each(connection -> {
      try {
        return connection.hasAnswer();
      } catch (IOException _) {
        return false; // it was closed
      }
    });
  }

  /**
   * Waits up to {@code limit} for the server to close connections, and returns how many it has
   * closed.
   */
  public int closedWithin(Duration limit) throws InterruptedException {
    return each(connection -> connection.isClosedWithin(limit));
  }

  /**
   * Sends {@code byte} on each connection every {@code interval}, as {@link #closedWithin}
   * otherwise.
   */
  public int closedWhileSending(int octet, Duration interval, Duration limit)
      throws InterruptedException {
    byte[] bytes = {(byte) octet};
    long deadline = System.nanoTime() + limit.toNanos();
    return each(connection -> {
      while (System.nanoTime() - deadline < 0) {
        try {
          connection.send(bytes);
        } catch (IOException _) {
          return true;
        }
        if (connection.isClosedWithin(interval)) {
          return true;
        }
      }
      return false;
    });
  }

  /** A test of a connection. */
  private interface Check {
    boolean holds(RawConnection connection) throws IOException;
  }

  /** Checks all connections at the same time, and returns for how many the check holds. */
  private int each(Check check) throws InterruptedException {
    List<Callable<Boolean>> tasks = new ArrayList<>();
    connections.forEach(connection -> tasks.add(() -> check.holds(connection)));
    return Collections.frequency(inParallel(tasks), true);
  }

  /**
   * Runs tasks at the same time, each on a virtual thread, and returns their results in order.
   *
   * @throws IllegalStateException if a task fails
   */
  public static <T> List<T> inParallel(List<Callable<T>> tasks) throws InterruptedException {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<T> results = new ArrayList<>();
      for (Future<T> future : executor.invokeAll(tasks)) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Runs a task {@code count} times at the same time, and returns how often each result came, in
   * the order of the results.
   */
  public static Map<String, Integer> counted(int count, Callable<String> task)
      throws InterruptedException {
    return counted(Collections.nCopies(count, task));
  }

  /** Runs tasks at the same time, and returns how often each result came, in their order. */
  public static Map<String, Integer> counted(List<Callable<String>> tasks)
      throws InterruptedException {
    var results = new TreeMap<String, Integer>();
    inParallel(tasks).forEach(result -> results.merge(result, 1, Integer::sum));
    return results;
  }

  @Override
  public void close() throws IOException {
    for (RawConnection connection : connections) {
      connection.close();
    }
  }
}
