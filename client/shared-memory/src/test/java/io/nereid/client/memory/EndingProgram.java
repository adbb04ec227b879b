package io.nereid.client.memory;

import io.nereid.client.NereidClient;

/** A program that makes shared memory, tells that it has, and waits for its end. */
final class EndingProgram {
  private EndingProgram() {}

  /** {@code arguments}: the server's address. */
  public static void main(String[] arguments) throws InterruptedException {
    NereidClient client = NereidClient.connect(arguments[0]);
    SharedMemory memory = SharedMemory.create(client, 1);
    System.out.println(memory.name());
    Thread.sleep(Long.MAX_VALUE);
  }
}
