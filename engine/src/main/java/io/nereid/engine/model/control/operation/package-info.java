/**
 * Operations of model control: loads what has changed while the present versions serve, unloads,
 * closes, and writes the registry. Does not know who asks for it. Operations run on threads of
 * their own; {@link io.nereid.engine.model.control.operation.OperationLocks} keeps those of related
 * models apart. Read {@link io.nereid.engine.model.control.operation.ModelOperations} first, then
 * {@link io.nereid.engine.model.control.operation.LoadOperation}.
 *
 * <pre>{@code
 * repositories        RepositoryScan
 * operations          ModelOperations, OperationLocks, ManagedModel, DirectoryUses
 * a load              LoadOperation: ModelChange, ModelLoad, SwitchPlan; LoadFailure, LoadLimits
 * an unload, a close  UnloadPlan, ModelCloser
 * both                BackendThreads, LifeCycleTelemetry
 * }</pre>
 */
@NullMarked
package io.nereid.engine.model.control.operation;

import org.jspecify.annotations.NullMarked;
