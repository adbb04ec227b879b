/**
 * What is computed of a graph's outputs: pooling, layers behind it, lengths, scores. It knows
 * neither files of models, but those of weights, nor requests. Any thread may use it.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.text.vector;
