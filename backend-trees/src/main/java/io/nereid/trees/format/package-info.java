/**
 * Readers of model files: XGBoost's JSON and UBJSON, LightGBM's text, treelite's binary format. Any
 * bytes give an {@link io.nereid.trees.forest.Ensemble} or a {@link
 * io.nereid.trees.forest.MalformedModelException}, in memory that the size of the file bounds. Read
 * {@link io.nereid.trees.format.TreeFileFormat} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.trees.format;
