// https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function isLogLevel(level: string): boolean {
  return LEVELS.includes(level);
}

/** Whether a message of this level is wanted. A level that the specification does not know counts as `info`. */
export function isAtLeast(level: string, lowest: string): boolean {
  return rank(level) >= rank(lowest);
}

function rank(level: string): number {
  const found = LEVELS.indexOf(level);
  return found === -1 ? 1 : found;
}
