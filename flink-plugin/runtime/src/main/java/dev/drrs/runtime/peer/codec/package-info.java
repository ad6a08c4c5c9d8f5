/** Reading and writing the bodies of messages; knows nothing of what they mean. */
package dev.drrs.runtime.peer.codec;
