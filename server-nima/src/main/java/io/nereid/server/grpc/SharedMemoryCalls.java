package io.nereid.server.grpc;

import io.nereid.server.memory.region.RegionKind;
import io.nereid.server.memory.region.RegionStatus;
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
 * The methods of Triton's shared memory extensions. They open and close objects in memory, and so
 * do not block: an event loop calls them.
 *
 * @param regions those of the server
 */
record SharedMemoryCalls(SharedRegions regions) {
  SystemSharedMemoryStatusResponse status(SystemSharedMemoryStatusRequest request) {
    var response = SystemSharedMemoryStatusResponse.newBuilder();
    for (RegionStatus region : regions.status(RegionKind.SYSTEM, request.getName())) {
      response.putRegions(
          region.name(),
          SystemSharedMemoryStatusResponse.RegionStatus.newBuilder()
              .setName(region.name())
              .setKey(region.key())
              .setOffset(region.offset())
              .setByteSize(region.byteSize())
              .build());
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

  /** A status without regions: {@link SharedRegions#status} has none of CUDA to return. */
  CudaSharedMemoryStatusResponse status(CudaSharedMemoryStatusRequest request) {
    var _ = regions.status(RegionKind.CUDA, request.getName());
    return CudaSharedMemoryStatusResponse.getDefaultInstance();
  }

  CudaSharedMemoryRegisterResponse register(CudaSharedMemoryRegisterRequest request) {
    regions.registerCuda(request.getName(), request.getRawHandle().toByteArray());
    return CudaSharedMemoryRegisterResponse.getDefaultInstance();
  }

  CudaSharedMemoryUnregisterResponse unregister(CudaSharedMemoryUnregisterRequest request) {
    regions.unregister(RegionKind.CUDA, request.getName());
    return CudaSharedMemoryUnregisterResponse.getDefaultInstance();
  }
}
