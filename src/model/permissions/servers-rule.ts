import { nearest } from '../../base/nearest.js';
import { matchesWildcard } from '../text/wildcard.js';
import { builtInTools } from './built-ins.js';
import { isSkillRule, PREFIX, SEPARATOR } from './rule.js';
import { serverSpellings } from './subject.js';

/** Why a rule decides about no tool of a server. */
export interface IdleRule {
  /** `form`: no tool of any server has such a name. `server`: the server is not configured. */
  readonly why: 'form' | 'server';
  /** The rule that was probably meant. */
  readonly meant?: string;
}

export interface ServersOfRules {
  readonly servers: readonly string[];
  /** As far as they are known. */
  readonly tools?: readonly { readonly server: string; readonly tool: string }[];
}

/**
 * Whether a rule cannot match a tool of these servers, whatever they list. Undefined: it can, or it is about a built-in
 * tool. `stops`: it is read widely, as a rule that stops calls.
 */
export function idleRule(text: string, served: ServersOfRules, { stops = false } = {}): IdleRule | undefined {
  const [head = ''] = text.split('*');
  const hasStar = head.length < text.length;
  if (isSkillRule(text) || builtInTools().some(({ name }) => matchesWildcard(text, name))) return undefined;
  if (!text.startsWith(PREFIX)) {
    if (stops && hasStar && PREFIX.startsWith(head)) return undefined;
    return toIdle('form', meantRule(text, served));
  }
  const starts = served.servers.flatMap(serverSpellings).map((one) => PREFIX + one + SEPARATOR);
  const isServed = starts.some(
    (start) => `${text}${SEPARATOR}` === start || head.startsWith(start) || (hasStar && start.startsWith(head)),
  );
  return isServed ? undefined : toIdle('server', meantRule(text.slice(PREFIX.length), served));
}

function toIdle(why: IdleRule['why'], meant: string | undefined): IdleRule {
  return { why, ...(meant !== undefined && { meant }) };
}

/** `body`: a rule without what every server tool's name begins with. */
function meantRule(body: string, { servers, tools = [] }: ServersOfRules): string | undefined {
  if (servers.some((one) => body === one || body.startsWith(one + SEPARATOR))) return PREFIX + body;
  const owners = tools.filter(({ tool }) => tool === body);
  if (owners.length === 1) return PREFIX + owners[0]!.server + SEPARATOR + body;
  const [head = ''] = body.split(SEPARATOR);
  const [close] = nearest(head, servers);
  return close === undefined ? undefined : PREFIX + close + body.slice(head.length);
}
