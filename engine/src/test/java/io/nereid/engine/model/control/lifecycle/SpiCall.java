package io.nereid.engine.model.control.lifecycle;

/** The calls of the server to a backend that the backend {@code hostile} can break. */
public enum SpiCall {
  OPEN_BACKEND("BackendProvider.open", When.LOAD, true),
  COMPLETE("Backend.complete", When.LOAD, true),
  WARNINGS("Backend.warnings", When.LOAD, true),
  INSTANCE_COUNT("Backend.defaultInstanceCount", When.LOAD, false),
  GPUS("Backend.gpus", When.LOAD, true),
  LOAD("Backend.load", When.LOAD, true),
  ALLOCATOR("Model.inputAllocator", When.LOAD, true),
  FILLS_OUTPUTS("Model.fillsOutputs", When.LOAD, false),
  SHAPE_HINT("Model.isShapeHint", When.LOAD, false),
  TAKES_MISSING("Model.takesMissing", When.LOAD, false),
  STRATEGY("Model.batchingStrategy", When.LOAD, true),
  OPEN("Model.open", When.LOAD, true),
  ANY_THREAD("ModelInstance.runsOnAnyThread", When.LOAD, false),
  BOUNDED_TIME("ModelInstance.hasBoundedTime", When.LOAD, false),
  DEPTH("PipelinedInstance.depth", When.LOAD, false),
  MEMORY_USAGE("Model.memoryUsage", When.ASKED, true),
  HEALTHY("ModelInstance.isHealthy", When.ASKED, false),
  BEGIN("BatchingStrategy.begin", When.BATCHING, false),
  INCLUDES("BatchingStrategy.includes", When.BATCHING, false),
  EXECUTE("ModelInstance.execute", When.EXECUTION, false),
  FAILURE_REASON("ModelInstance.failureReason", When.EXECUTION, true),
  START("PipelinedInstance.start", When.PIPELINE, false),
  CAN_START("PipelinedInstance.canStart", When.PIPELINE, false),
  IS_FINISHED("PipelinedInstance.isFinished", When.PIPELINE, false),
  FINISH("PipelinedInstance.finish", When.PIPELINE, false),
  CLOSE_INSTANCE("ModelInstance.close", When.UNLOAD, false),
  CLOSE("Model.close", When.UNLOAD, false),
  ALLOCATE("HostAllocator.allocate", When.MEMORY, true),
  FREE("HostAllocator.free", When.MEMORY, false),
  SHARES("BackendProvider.sharesDeviceMemory", When.DEVICE, false),
  OPEN_SHARED("Backend.openSharedMemory", When.DEVICE, true),
  READ_SHARED("SharedDeviceMemory.read", When.DEVICE, false),
  WRITE_SHARED("SharedDeviceMemory.write", When.DEVICE, false),
  CLOSE_SHARED("SharedDeviceMemory.close", When.DEVICE, false),
  CANCEL_LOADS("Backend.cancelLoads", When.STOP, false),
  CLOSE_BACKEND("Backend.close", When.STOP, false);

  /** When the server makes a call, which says who waits for it. */
  public enum When {
    LOAD,
    ASKED,
    BATCHING,
    EXECUTION,
    PIPELINE,
    /** For memory of a model's inputs. */
    MEMORY,
    /** For memory of clients on devices. */
    DEVICE,
    UNLOAD,
    STOP
  }

  /** What a backend may do in place of what the contract says. */
  public enum Deed {
    THROWS,
    THROWS_ERROR,
    RETURNS_NULL,
    DOES_NOT_RETURN,
    /** Only where the call has an object of the server. */
    CALLS_BACK_FROM_ANOTHER_THREAD
  }

  private final String method;
  private final When when;
  private final boolean returnsObject;

  SpiCall(String method, When when, boolean returnsObject) {
    this.method = method;
    this.when = when;
    this.returnsObject = returnsObject;
  }

  /** As the guide names it. */
  public String method() {
    return method;
  }

  public When when() {
    return when;
  }

  /** Whether it can do that. */
  public boolean can(Deed deed) {
    return switch (deed) {
      case THROWS, THROWS_ERROR, DOES_NOT_RETURN -> true;
      case RETURNS_NULL -> returnsObject;
      case CALLS_BACK_FROM_ANOTHER_THREAD -> this == EXECUTE || this == START;
    };
  }
}
