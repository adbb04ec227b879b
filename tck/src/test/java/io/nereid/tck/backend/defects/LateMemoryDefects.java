package io.nereid.tck.backend.defects;

import static io.nereid.tck.backend.defects.ExecutionDefects.execution;

import io.nereid.spi.Batch;
import io.nereid.spi.DetachedRequest;
import io.nereid.spi.Results;
import io.nereid.tensor.DataType;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Use of memory that has been released or sent. */
final class LateMemoryDefects {
  private LateMemoryDefects() {}

  static List<Planted> all() {
    return List.of(
        Planted.of(
            "MEMORY-04",
            "frees a whole batch by the first release",
            () ->
                new MemoryDefects.Giving() {
                  private Arena shared = Arena.ofShared();

                  @Override
                  void execute(Batch batch, Results results) {
                    shared = Arena.ofShared();
                    super.execute(batch, results);
                  }

                  @Override
                  Arena arena() {
                    return shared;
                  }

                  @Override
                  void release(Arena arena) {
                    if (arena.scope().isAlive()) {
                      arena.close();
                    }
                  }
                }),
        execution(
            "MEMORY-13",
            "writes an output that it has sent",
            (_, batch, results) -> {
              for (int i = 0; i < batch.size(); i++) {
                Tensor in = batch.input(i, "IN").orElseThrow();
                var same = results.allocate(i, "SAME", DataType.FP32, in.shape(), in.byteSize());
                var other = results.allocate(i, "OTHER", DataType.FP32, in.shape(), in.byteSize());
                Specimen.write("SAME", in.data(), same);
                Specimen.write("OTHER", in.data(), other);
                results.send(i);
                other.fill((byte) 0);
              }
            }),
        Planted.of(
            "MEMORY-13",
            "writes an output of a detached request that it has sent",
            () ->
                new DetachedDefects.Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    Tensor in = request.input("IN").orElseThrow();
                    List<MemorySegment> outputs =
                        List.of("SAME", "OTHER").stream()
                            .filter(request::wants)
                            .map(output -> {
                              var out = request.allocate(output, DataType.FP32, in.shape());
                              write(output, in.data(), out);
                              return out;
                            })
                            .toList();
                    request.send();
                    outputs.stream()
                        .filter(each -> each.scope().isAlive())
                        .forEach(each -> each.fill((byte) 0));
                  }
                }),
        Planted.of(
            "DET-02",
            "reads an input of a detached request that it has sent",
            () ->
                new DetachedDefects.Later() {
                  @Override
                  void answer(DetachedRequest request) {
                    MemorySegment in = request.input("IN").orElseThrow().data();
                    super.answer(request);
                    in.get(Elements.FLOAT, 0);
                  }
                }));
  }
}
