import { HostError } from '../../../base/errors.js';
import * as actions from '../../../actions/servers/add.js';
import type { Entry } from '../../../actions/arguments.js';
import { toVerb } from '../../start/action-verb.js';
import type { Invocation } from '../../input/arguments.js';
import { askClientSecret, clientOptions, toClient } from '../../input/client-flags.js';
import { addScopeOption, dryRunOption, scopeOf } from '../../input/options.js';
import { showCommand, showLine, showName } from '../../../model/show.js';
import { usageError } from '../../input/usage-error.js';

/** Names of transports that users and scripts write, and the type that is stored. */
const transports: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  sse: 'sse',
  ws: 'ws',
};

const USAGE = "NAME [-s SCOPE] [-t TRANSPORT] [-e K=V] [-H 'K: v'] URL | -- COMMAND ARGS";

export const addVerb = toVerb(actions.add, {
  usage: USAGE,
  takesCommand: true,
  options: [
    addScopeOption,
    {
      name: 'transport',
      short: 't',
      value: 'TRANSPORT',
      summary: 'stdio, http, sse or ws; without it a URL is http, or ws for wss://',
    },
    { name: 'env', short: 'e', value: 'K=V', repeatable: true, summary: 'a variable for the command' },
    { name: 'header', short: 'H', value: "'K: v'", repeatable: true, summary: 'a header for the URL' },
    ...clientOptions,
    { name: 'xaa', summary: 'sign in through the provider of settings.xaaIdp' },
    dryRunOption,
  ],
  examples: [
    'plugboard add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'plugboard add docs https://mcp.example.com/mcp -s user',
    "plugboard add api https://api.example.com/mcp -H 'Authorization: Bearer ${API_TOKEN}'",
  ],
  async parse({ invocation, io }) {
    const { name: server, entry: typed } = toRequest(invocation);
    const oauth = invocation.has('client-secret') && {
      oauth: { ...(typed['oauth'] as object), clientSecret: await askClientSecret(io) },
    };
    const [scope, dryRun] = [scopeOf(invocation), invocation.has('dry-run')];
    return { server, entry: { ...typed, ...oauth }, scope, dryRun };
  },
});

interface AddRequest {
  readonly name: string;
  readonly entry: Entry;
}

function toRequest(invocation: Invocation): AddRequest {
  const { name, target, assignments } = toWords(invocation);
  if (name === undefined || target[0] === undefined) {
    throw usageError(`add needs a name and a URL or a command`, { hint: `plugboard add ${USAGE}` });
  }
  const word =
    invocation.value('transport') ??
    (isUrl(target[0]) && invocation.command === undefined ? (/^wss?:/iu.test(target[0]) ? 'ws' : 'http') : 'stdio');
  const type = Object.hasOwn(transports, word) ? transports[word] : undefined;
  if (type === undefined) {
    throw new HostError(
      'usage',
      `Invalid transport type: ${word}. Must be one of: stdio, sse, http (or streamable-http), ws`,
    );
  }
  return type === 'stdio'
    ? toCommand(name, target, { invocation, assignments })
    : toRemote(name, target, { invocation, assignments, type });
}

interface Words {
  readonly name: string | undefined;
  readonly target: readonly string[];
  readonly assignments: readonly string[];
}

/** `-e A=1 B=2 name`: more assignments may follow the flag, but neither the name nor the command is taken for one. */
function toWords(invocation: Invocation): Words {
  const isAssignment = (word: string): boolean => invocation.has('env') && /^[A-Za-z_]\w*=/u.test(word);
  const words: string[] = [];
  const assignments = [...invocation.values('env')];
  for (const word of invocation.positionals) {
    // After the command's name it is an argument of the command.
    if (isAssignment(word) && (words.length < 2 || invocation.command)) assignments.push(word);
    else words.push(word);
  }
  const [name, ...rest] = words;
  return { name, target: [...rest, ...(invocation.command ?? [])], assignments };
}

interface Parts {
  readonly invocation: Invocation;
  readonly assignments: readonly string[];
}

function toCommand(name: string, argv: readonly string[], { invocation, assignments }: Parts): AddRequest {
  const misplaced = ['header', 'client-id', 'client-secret', 'callback-port', 'xaa'].find((option) =>
    invocation.has(option),
  );
  if (misplaced !== undefined) {
    throw usageError(`--${misplaced} is for a URL; "${name}" is a command`, { hint: 'Use -e KEY=VALUE for a command' });
  }
  refuseMistaken(name, argv);
  const [command, ...args] = argv;
  const entry = { type: 'stdio', command, args, env: Object.fromEntries(assignments.map(parseAssignment)) };
  return { name, entry };
}

/** Refuses a URL without its scheme and a whole command line in quotes: stored as a program, neither could start. */
function refuseMistaken(name: string, argv: readonly string[]): void {
  const [command = ''] = argv;
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(command)) {
    throw usageError(`"${command}" is a URL, not a command`, {
      hint: `plugboard add ${showName(name)} https://... (without -- and without -t stdio)`,
    });
  }
  if (/^[\w-]+(\.[\w-]+)+(:\d+)?\//u.test(command) && argv.length === 1) {
    throw usageError(`"${command}" looks like a URL without its scheme`, {
      hint: `plugboard add ${showName(name)} https://${showLine(command)}`,
    });
  }
  if (argv.length === 1 && /^[^\s/\\]+\s/u.test(command)) {
    throw usageError(`"${command}" is one word, not a program and its arguments`, {
      hint: `plugboard add ${showName(name)} -- ${showLine(command)}`,
    });
  }
}

function toRemote(
  name: string,
  target: readonly string[],
  { invocation, assignments, type }: Parts & { readonly type: string },
): AddRequest {
  const [url, ...more] = target;
  if (!isUrl(url!)) {
    throw usageError(`${type} needs a URL, got "${url}"`, {
      hint: `plugboard add ${name} -- ${showCommand(target)}`,
    });
  }
  if (more.length > 0 && invocation.has('client-secret')) {
    throw usageError('--client-secret takes no value: everyone on this machine could read it', {
      hint: 'Set MCP_CLIENT_SECRET, or leave the value out to be asked for it',
    });
  }
  if (more.length > 0) throw usageError(`"${more[0]}" follows the URL`, { hint: 'A URL takes no arguments' });
  if (assignments.length > 0) {
    throw usageError(`-e is for a command; "${name}" is a URL`, { hint: "Use -H 'Name: value' for a URL" });
  }
  const headers = Object.fromEntries(invocation.values('header').map(parseHeader));
  const oauth = { ...toClient(invocation), ...(invocation.has('xaa') && { xaa: true }) };
  const entry = {
    type,
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
  return { name, entry };
}

function parseAssignment(text: string): [string, string] {
  const split = text.indexOf('=');
  if (split < 1) {
    throw new HostError(
      'usage',
      `Invalid environment variable format: ${text}, environment variables should be added as: -e KEY1=value1 -e KEY2=value2`,
    );
  }
  return [text.slice(0, split), text.slice(split + 1)];
}

function parseHeader(text: string): [string, string] {
  const split = text.indexOf(':');
  if (split < 1)
    throw new HostError('usage', `Invalid header format: "${text}". Expected format: "Header-Name: value"`);
  return [text.slice(0, split).trim(), text.slice(split + 1).trim()];
}

function isUrl(text: string): boolean {
  return /^(https?|wss?):\/\//iu.test(text) || /^\$\{[A-Za-z_]\w*(:-[^}]*)?\}\/?/u.test(text);
}
