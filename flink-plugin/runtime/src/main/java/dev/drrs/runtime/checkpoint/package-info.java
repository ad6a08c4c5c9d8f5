/** Checkpoints of an elastic job: who takes part, what is written, what is restored. */
package dev.drrs.runtime.checkpoint;
