import type { MirroredArgument } from '../requests/mirrored-arguments.js';

/** What has to be known of a tool before it can be called, where it is anything at all. */
export interface ToolTraits {
  /** Arguments that go into headers, too. */
  readonly mirrored: readonly MirroredArgument[];
  /** It can only be called as a task. */
  readonly needsTask: boolean;
}
