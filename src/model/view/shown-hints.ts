import type { ToolHints, ToolMarks } from '../tool.js';

/**
 * What a tool says of itself, for whoever reads it. A definition keeps what is left open as the worse, and so does its hash; but nobody is
 * told of a tool that says it only reads that it may destroy, unless it says that as well.
 */
export function shownHints(hints: ToolHints, { saysDestructive }: Pick<ToolMarks, 'saysDestructive'>): ToolHints {
  return hints.readOnly && hints.destructive && !saysDestructive ? { ...hints, destructive: false } : hints;
}
