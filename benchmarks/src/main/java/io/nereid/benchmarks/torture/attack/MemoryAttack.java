package io.nereid.benchmarks.torture.attack;

import io.nereid.benchmarks.torture.server.Needs;
import java.util.OptionalLong;

/**
 * An attack on the memory of a server that has 1 GiB for tensors: it takes a client's share, and
 * the server may grow by that memory and a little more.
 */
public interface MemoryAttack extends Attack {
  @Override
  default Needs needs() {
    return Needs.options("--max-tensor-memory=1073741824");
  }

  /** The tensors; then sockets, code that is compiled, threads. */
  @Override
  default OptionalLong growthMebibytes() {
    return OptionalLong.of(1_024 + 256);
  }
}
