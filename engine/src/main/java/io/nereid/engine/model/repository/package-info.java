/**
 * Model repositories: which models they hold, what is in a model's directory, what has changed in
 * it, and whether it is complete enough to act upon; and directories for the files that a load
 * request brings. Knows nothing of configurations, states or loading; its methods run on the
 * threads of the model manager. Read {@link io.nereid.engine.model.repository.ModelRepository}
 * first.
 */
@NullMarked
package io.nereid.engine.model.repository;

import org.jspecify.annotations.NullMarked;
