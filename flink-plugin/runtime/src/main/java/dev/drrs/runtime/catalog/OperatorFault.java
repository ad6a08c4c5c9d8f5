package dev.drrs.runtime.catalog;

/**
 * Why an operator keeps a vertex from being rescaled.
 *
 * @param name of the operator
 * @param what to be read after the name
 * @param remedy what to do; null for the place it stands in to say so
 */
public record OperatorFault(String name, String what, String remedy) {}
