/**
 * Models on disk: their directories, configurations and versions. Knows nothing of requests,
 * transports or schedulers' work. Everything that reads a configuration is called by the thread
 * that loads the model and keeps no state. Read {@link io.nereid.repository.ModelConfiguration}
 * first, then {@link io.nereid.repository.ModelConfigReader} and {@link
 * io.nereid.repository.ModelConfigCompletion}: a configuration passes them in that order.
 */
@NullMarked
package io.nereid.repository;

import org.jspecify.annotations.NullMarked;
