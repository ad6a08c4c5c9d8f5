/**
 * Sections and checkpoints take turns: what a rescale does to channels and key groups falls into no
 * checkpoint.
 */
package dev.drrs.runtime.section;
