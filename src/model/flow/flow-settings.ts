/**
 * What the flow guard does about a call that would send out what was read. `ask`: asks about copies. `strict`: asks about
 * every call of another server that can send data out. `deny`: denies copies.
 */
export type FlowMode = (typeof flowModes)[number];

export const flowModes = ['off', 'ask', 'strict', 'deny'] as const;

/** The setting `flow` of the user or the administrator; never of a repository. */
export interface FlowSettings {
  /** Undefined: `ask` where a person can be asked, else `off`. */
  readonly mode?: FlowMode | undefined;
  /** `source -> sink`: what may go from one server to another without a question. */
  readonly allow?: readonly string[] | undefined;
  /** The same, only between servers of the user: a repository may give its server the name of another one. */
  readonly ownAllow?: readonly string[] | undefined;
}

/** Where no settings say anything. */
export const NO_FLOW: FlowSettings = {};

/** A rule of `allow`. */
export interface FlowRule {
  /** The server that text was read from, or a tool without a server; `*`: any. */
  readonly from: string;
  /** The server that a call goes to, or a tool without a server; `*`: any. */
  readonly to: string;
}

/** `web -> notes`; undefined for anything else. */
export function parseFlowRule(text: string): FlowRule | undefined {
  const [from = '', to = '', ...more] = text.split('->').map((name) => name.trim());
  return from === '' || to === '' || more.length > 0 ? undefined : { from, to };
}

export function toFlowRule({ from, to }: FlowRule): string {
  return `${from} -> ${to}`;
}

/** Whether a rule allows it. Unreadable rules allow nothing. */
export function isFlowAllowed(rules: readonly string[], { from, to }: FlowRule): boolean {
  return rules.some((text) => {
    const rule = parseFlowRule(text);
    return rule !== undefined && isNamed(rule.from, from) && isNamed(rule.to, to);
  });
}

function isNamed(pattern: string, name: string): boolean {
  return pattern === '*' || pattern === name;
}
