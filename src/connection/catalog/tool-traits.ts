import type { MirroredArgument } from '../requests/mirrored-arguments.js';

/** What must be known of a tool before it can be called; most tools need nothing. */
export interface ToolTraits {
  /** Arguments that are repeated in HTTP headers. */
  readonly mirrored: readonly MirroredArgument[];
  /** The tool can only be called as a task. */
  readonly needsTask: boolean;
}
