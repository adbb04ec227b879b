/**
 * Host policies: on which processors the threads of instances run, and in which node their memory
 * lies. Options and instances are not known here. Each call concerns the thread that makes it.
 * Native code is called only where a policy is set. Read {@link
 * io.nereid.engine.execution.affinity.HostPolicies} first. See {@code --host-policy} in Triton's
 * "user_guide/optimization.md".
 */
@NullMarked
package io.nereid.engine.execution.affinity;

import org.jspecify.annotations.NullMarked;
