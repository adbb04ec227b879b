package io.nereid.server.grpc.control;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.region.RegionKind;
import io.nereid.engine.memory.region.RegionStatus;
import io.nereid.engine.memory.region.RegionStatus.CudaMemory;
import io.nereid.engine.memory.region.RegionStatus.SystemMemory;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryRegisterResponse;
import io.nereid.protocol.inference.CudaSharedMemoryStatusRequest;
import io.nereid.protocol.inference.CudaSharedMemoryStatusResponse;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.CudaSharedMemoryUnregisterResponse;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryRegisterResponse;
import io.nereid.protocol.inference.SystemSharedMemoryStatusRequest;
import io.nereid.protocol.inference.SystemSharedMemoryStatusResponse;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterRequest;
import io.nereid.protocol.inference.SystemSharedMemoryUnregisterResponse;
import io.nereid.server.frontend.StatusMessages;

/**
 * The methods of Triton's shared memory extensions. Those of system regions open and close objects
 * in memory, and so do not block: an event loop calls them. Those that register and unregister CUDA
 * regions wait for devices.
 *
 * @param regions those of the server
 */
public record SharedMemoryCalls(SharedRegions regions) {
  SystemSharedMemoryStatusResponse status(SystemSharedMemoryStatusRequest request) {
    var response = SystemSharedMemoryStatusResponse.newBuilder();
    for (RegionStatus region : regions.status(RegionKind.SYSTEM, request.getName())) {
      if (region instanceof SystemMemory memory) {
        response.putRegions(memory.name(), StatusMessages.system(memory));
      }
    }
    return response.build();
  }

  SystemSharedMemoryRegisterResponse register(
      ClientKey client, SystemSharedMemoryRegisterRequest request) {
    regions.register(
        client, request.getName(), request.getKey(), request.getOffset(), request.getByteSize());
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
        response.putRegions(memory.name(), StatusMessages.cuda(memory));
      }
    }
    return response.build();
  }

  CudaSharedMemoryRegisterResponse register(
      ClientKey client, CudaSharedMemoryRegisterRequest request) {
    regions.registerCuda(
        client,
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
