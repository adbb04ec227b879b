/**
 * Instances of a model and how batches run on them: one platform thread an instance, which alone
 * touches it. Knows nothing of how batches are formed. Read {@link
 * io.nereid.instance.InstanceGroup} first, then {@link io.nereid.instance.InstanceRunner} and
 * {@link io.nereid.instance.InstanceExecutions}.
 */
@NullMarked
package io.nereid.instance;

import org.jspecify.annotations.NullMarked;
