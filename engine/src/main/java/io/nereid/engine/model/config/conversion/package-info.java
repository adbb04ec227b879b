/**
 * Conversions between the forms of a model configuration: protobuf message, JSON, and the record
 * that backends and schedulers read. Pure functions. Read {@link
 * io.nereid.engine.model.config.conversion.ModelConfigRecords} first.
 */
@NullMarked
package io.nereid.engine.model.config.conversion;

import org.jspecify.annotations.NullMarked;
