/**
 * Model repositories: which models they hold, what is in a model's directory, and what has changed
 * in it. Knows nothing of configurations, states or loading. Read {@link
 * io.nereid.server.model.repository.ModelRepository} first.
 */
@NullMarked
package io.nereid.server.model.repository;

import org.jspecify.annotations.NullMarked;
