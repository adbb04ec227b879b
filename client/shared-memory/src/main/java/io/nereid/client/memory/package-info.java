/**
 * Tensors in memory that a server on the same machine reads and writes, instead of in messages.
 * {@link io.nereid.client.memory.SharedMemory} is the first to read: it makes the memory and tells
 * the server; {@link io.nereid.client.memory.SharedSlice} is a part of it, for one tensor. Needs
 * Linux. Knows of the client what any program does.
 */
package io.nereid.client.memory;
