import type { ToolHints, ToolMarks } from '../tool.js';

/**
 * A tool's hints for display. A definition and its hash count a missing hint as the worse; but a tool that says it only
 * reads is not shown as destructive, unless it says that explicitly.
 */
export function shownHints(hints: ToolHints, { saysDestructive }: Pick<ToolMarks, 'saysDestructive'>): ToolHints {
  return hints.readOnly && hints.destructive && !saysDestructive ? { ...hints, destructive: false } : hints;
}
