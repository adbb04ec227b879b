package io.nereid.tensorrt.engine;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Device 0 of the doubles, with one version of TensorRT, and plans of that version. */
abstract class EngineUnderTest {
  final int version;
  final CudartDouble cuda;
  final NvinferDouble nvinfer;
  DoubleDevice gpu;

  EngineUnderTest(int version, CudartDouble cuda, NvinferDouble nvinfer) {
    this.version = version;
    this.cuda = cuda;
    this.nvinfer = nvinfer;
  }

  @BeforeEach
  void open() {
    nvinfer.setVersion(version);
    gpu = new DoubleDevice();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  PlanText plan() {
    return new PlanText().version(version);
  }
}
