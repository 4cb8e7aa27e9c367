import { join, sep } from 'node:path';
import { Host } from '../../src/host/host.js';
import { hiddenKind } from '../../src/model/text/hidden-characters.js';
import type { CallResult } from '../../src/host/host-options.js';
import { type ShownFigures, SERVER, type Started } from './figures.js';
import { MARK } from './processes.js';

const PROFILES = ['anthropic', 'openai', 'gemini'] as const;
const TEXT_KEPT = 200_000;

export interface ShowOptions {
  /** The host's home folder. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly input: { readonly [name: string]: unknown };
}

/** Runs the same server once more behind a whole `Host`, and records what a model would be shown. */
export async function show({ script, mode, mark }: Started, options: ShowOptions): Promise<ShownFigures> {
  const { folder, timeoutMs, input } = options;
  const entry = { command: process.execPath, args: [script, mode], env: { [MARK]: mark } };
  await using host = await Host.open({
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    managedDirectories: [],
    mcpConfig: [JSON.stringify({ mcpServers: { [SERVER]: entry } })],
    strict: true,
    watch: false,
    permissions: { mode: 'bypass' },
  });
  await host.settled();
  const result = await host.call({ name: `mcp__${SERVER}__attack`, input, timeoutMs });
  return {
    ...toFigures(result, join(folder, '.local/state/plugboard')),
    offers: Object.fromEntries(PROFILES.map((profile) => [profile, offered(host, profile)])),
  };
}

function toFigures(result: CallResult, home: string): Omit<ShownFigures, 'offers'> {
  const { content, structuredContent, saved, notes } = result;
  const texts = content.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return {
    text: texts.join('\n').slice(0, TEXT_KEPT),
    length: texts.reduce((sum, { length }) => sum + length, 0),
    pictures: content.filter(({ type }) => type === 'image').length,
    hidden: hiddenIn([content, structuredContent, notes]),
    saved: saved.length,
    outside: saved.map(({ path }) => path).filter((path) => !path.startsWith(home + sep)),
    notes: notes.join('\n'),
  };
}

/** The tools by the server's own names, and the invisible characters in their definitions. */
function offered(host: Host, profile: (typeof PROFILES)[number]): ShownFigures['offers'][string] {
  const { tools, system, setAside } = host.forModel(profile, { toolSearch: 'never' });
  const names = JSON.stringify(tools);
  const known = host.tools().filter(({ name }) => names.includes(JSON.stringify(name)));
  return {
    tools: known.map(({ tool }) => tool),
    setAside: setAside.map(({ tool, reason }) => `${tool}: ${reason}`),
    hidden: hiddenIn([tools, system]),
  };
}

/** The first few texts, at any depth, that contain an invisible character. */
function hiddenIn(value: unknown): string[] {
  const found: string[] = [];
  const look = (text: string): void => {
    for (const character of text) {
      const isPlain = /[\n\t]/u.test(character);
      if (isPlain || hiddenKind(character.codePointAt(0)!) === undefined) continue;
      found.push(JSON.stringify(text.slice(0, 100)));
      return;
    }
  };
  JSON.stringify(value, (key, part: unknown) => {
    if (found.length < 5) {
      look(key);
      if (typeof part === 'string') look(part.slice(0, TEXT_KEPT));
    }
    return part;
  });
  return found;
}
