package io.nereid.tensorrt.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nereid.tensorrt.cuda.CudaDevice;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.concurrent.CompletableFuture;

/**
 * The tests of {@link CudaGpuTest} with the double of libcudart, so that they are known to be right
 * before they meet a GPU. The memory of the double is shared within one process only: here a thread
 * is the other process.
 */
@UsesDoubles
class CudaDoubleTest extends CudaVerification {
  @Override
  CudaDevice device() {
    return CudaDevice.of(0);
  }

  @Override
  long largestBytes() {
    return 1 << 20;
  }

  @Override
  Peer startPeer() throws Exception {
    var toPeer = new PipedOutputStream();
    var in = new BufferedReader(new InputStreamReader(new PipedInputStream(toPeer), UTF_8));
    var fromPeer = new PipedOutputStream();
    var out = new BufferedReader(new InputStreamReader(new PipedInputStream(fromPeer), UTF_8));
    var lines = new PrintStream(toPeer, true, UTF_8);
    CompletableFuture<?> peer =
        CompletableFuture.runAsync(
            () -> {
              try (var answers = new PrintStream(fromPeer, true, UTF_8)) {
                IpcPeer.run(CudaDevice.of(0), in, answers);
              } catch (IOException failed) {
                throw new IllegalStateException(failed);
              }
            },
            task -> Thread.ofPlatform().start(task));
    return new Peer() {
      @Override
      public void send(String line) {
        lines.println(line);
      }

      @Override
      public String receive() throws Exception {
        return out.readLine();
      }

      @Override
      public void close() {
        lines.close();
        peer.join();
      }
    };
  }
}
