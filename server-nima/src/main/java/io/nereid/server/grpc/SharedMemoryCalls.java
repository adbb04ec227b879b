package io.nereid.server.grpc;

import io.nereid.server.memory.region.RegionKind;
import io.nereid.server.memory.region.RegionStatus;
import io.nereid.server.memory.region.RegionStatus.CudaMemory;
import io.nereid.server.memory.region.RegionStatus.SystemMemory;
import io.nereid.server.memory.region.SharedRegions;
import io.nereid.server.protobuf.CudaSharedMemoryRegisterRequest;
import io.nereid.server.protobuf.CudaSharedMemoryRegisterResponse;
import io.nereid.server.protobuf.CudaSharedMemoryStatusRequest;
import io.nereid.server.protobuf.CudaSharedMemoryStatusResponse;
import io.nereid.server.protobuf.CudaSharedMemoryUnregisterRequest;
import io.nereid.server.protobuf.CudaSharedMemoryUnregisterResponse;
import io.nereid.server.protobuf.SystemSharedMemoryRegisterRequest;
import io.nereid.server.protobuf.SystemSharedMemoryRegisterResponse;
import io.nereid.server.protobuf.SystemSharedMemoryStatusRequest;
import io.nereid.server.protobuf.SystemSharedMemoryStatusResponse;
import io.nereid.server.protobuf.SystemSharedMemoryUnregisterRequest;
import io.nereid.server.protobuf.SystemSharedMemoryUnregisterResponse;

/**
 * The methods of Triton's shared memory extensions. Those of system regions open and close objects
 * in memory, and so do not block: an event loop calls them. Those that register and unregister CUDA
 * regions wait for devices.
 *
 * @param regions those of the server
 */
record SharedMemoryCalls(SharedRegions regions) {
  SystemSharedMemoryStatusResponse status(SystemSharedMemoryStatusRequest request) {
    var response = SystemSharedMemoryStatusResponse.newBuilder();
    for (RegionStatus region : regions.status(RegionKind.SYSTEM, request.getName())) {
      if (region instanceof SystemMemory memory) {
        response.putRegions(
            memory.name(),
            SystemSharedMemoryStatusResponse.RegionStatus.newBuilder()
                .setName(memory.name())
                .setKey(memory.key())
                .setOffset(memory.offset())
                .setByteSize(memory.byteSize())
                .build());
      }
    }
    return response.build();
  }

  SystemSharedMemoryRegisterResponse register(SystemSharedMemoryRegisterRequest request) {
    regions.register(
        request.getName(), request.getKey(), request.getOffset(), request.getByteSize());
    return SystemSharedMemoryRegisterResponse.getDefaultInstance();
  }

  SystemSharedMemoryUnregisterResponse unregister(SystemSharedMemoryUnregisterRequest request) {
    regions.unregister(RegionKind.SYSTEM, request.getName());
    return SystemSharedMemoryUnregisterResponse.getDefaultInstance();
  }

  CudaSharedMemoryStatusResponse status(CudaSharedMemoryStatusRequest request) {
    var response = CudaSharedMemoryStatusResponse.newBuilder();
    for (RegionStatus region : regions.status(RegionKind.CUDA, request.getName())) {
      if (region instanceof CudaMemory memory) {
        response.putRegions(
            memory.name(),
            CudaSharedMemoryStatusResponse.RegionStatus.newBuilder()
                .setName(memory.name())
                .setDeviceId(memory.deviceId())
                .setByteSize(memory.byteSize())
                .build());
      }
    }
    return response.build();
  }

  CudaSharedMemoryRegisterResponse register(CudaSharedMemoryRegisterRequest request) {
    regions.registerCuda(
        request.getName(),
        request.getRawHandle().toByteArray(),
        request.getDeviceId(),
        request.getByteSize());
    return CudaSharedMemoryRegisterResponse.getDefaultInstance();
  }

  CudaSharedMemoryUnregisterResponse unregister(CudaSharedMemoryUnregisterRequest request) {
    regions.unregister(RegionKind.CUDA, request.getName());
    return CudaSharedMemoryUnregisterResponse.getDefaultInstance();
  }
}
