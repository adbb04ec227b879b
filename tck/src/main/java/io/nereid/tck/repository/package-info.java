/**
 * The model repository extension over HTTP: what loads and unloads models, what the index shows,
 * and what each control mode does. Most classes have a server in explicit mode whose repository
 * their tests change. Knows a server by its address and its repositories. Read {@link
 * io.nereid.tck.repository.ModelControlVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.repository;
