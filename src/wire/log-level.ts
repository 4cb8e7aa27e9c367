/** The levels of log messages, the most talkative first: those of RFC 5424, as MCP names them. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** How quiet a level is. A word that is no level counts as the usual `info`. */
export function quietness(level: string): number {
  const at = (LOG_LEVELS as readonly string[]).indexOf(level);
  return at < 0 ? INFO : at;
}

const INFO = 1;
