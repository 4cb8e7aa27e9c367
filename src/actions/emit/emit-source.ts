import { dirname } from 'node:path';
import { HostError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { parseUrl } from '../../base/parse-url.js';
import { MASK } from '../../base/secret.js';
import { maskArguments } from '../../model/redaction/mask-arguments.js';
import { maskUrl } from '../../model/redaction/mask-url.js';
import { countOf, showLine } from '../../model/show.js';
import { setAsideText } from '../../model/text/set-aside-text.js';
import type { SourceServer } from '../../model/source/client-source.js';
import { type Action, defineAction } from '../action.js';
import type { ActionContext } from '../action-context.js';
import { type ActionPlace, configOf, hostOf, type HostPlace, serverOf } from '../action-place.js';
import type { ArgsOf } from '../arguments.js';
import { chooseNames } from '../choose-servers.js';
import { listedServers } from '../servers/listing.js';
import { outFile } from '../files/out-file.js';
import type { Told } from '../told.js';

const emitArgs = {
  server: { kind: 'server' },
  out: { kind: 'text', short: 'o', value: 'FILE', summary: 'write to FILE instead of stdout' },
  force: { kind: 'flag', summary: 'replace a FILE that this command did not write' },
} as const;

interface EmitAction {
  readonly name: string;
  /** What is written: a client, a program. */
  readonly noun: string;
  readonly summary: string;
  readonly isProgram: boolean;
  /** Loaded when the action is run. */
  readonly load: () => Promise<SourceWriter>;
}

interface SourceWriter {
  readonly toSource: (server: SourceServer) => string;
  /** By which a file is known that this command wrote. */
  readonly mark: string;
}

/** An action that writes source for the tools of a server. */
export function defineEmit({ name, noun, summary, isProgram, load }: EmitAction): Action<typeof emitArgs, Emitted> {
  return defineAction({
    name,
    label: `write a ${noun}`,
    doing: `writing a ${noun}`,
    summary,
    args: emitArgs,
    needs: 'host',
    opening: {
      servers: (loaded, { server }, { adHoc }) => chooseNames(loaded, adHoc ?? server, name),
      mayStart: (configured, { server }) => configured.name === server,
    },
    run: async (on, args, context) => emitSource(on, args, { ...(await load()), action: name, isProgram, context }),
    json: emittedJson,
    tell: tellEmitted,
  });
}

interface Emitted {
  readonly server: string;
  readonly tools: number;
  readonly source: string;
  /** Where the source was written; undefined: to stdout. */
  readonly file: string | undefined;
  readonly notes: readonly string[];
}

interface EmitOptions extends SourceWriter {
  readonly action: string;
  readonly isProgram: boolean;
  readonly context: ActionContext;
}

/** Writes source for the tools of a server. Rejects when the server cannot be listed or the file may not be replaced. */
async function emitSource(
  on: ActionPlace,
  { server: name, out, force }: ArgsOf<typeof emitArgs>,
  { action, toSource, mark, isProgram, context }: EmitOptions,
): Promise<Emitted> {
  const place = hostOf(on);
  const target = out === undefined ? undefined : await outFile(out, configOf(place));
  const { server, notes } = await readServer(place, name, { action, context });
  const source = toSource(server);
  const { findsPlugboard, writeSource, SOURCE_LIMIT } = await import('../../host/write-source.js');
  if (source.length > SOURCE_LIMIT) {
    throw new HostError('answer-too-large', `The source for server "${name}" would have ${source.length} characters`, {
      hint: 'Leave tools out with includeTools or excludeTools in the entry of the server',
    });
  }
  const tools = server.tools.length;
  if (target === undefined) return { server: name, tools, source, file: undefined, notes };
  const file = await writeSource(target, source, { mark, isForced: force, isProgram });
  // A global installation is not enough for the import in the source.
  const missing = findsPlugboard(file)
    ? []
    : [`note: it imports plugboard; in ${showLine(dirname(file))}: npm i plugboard`];
  return { server: name, tools, source, file, notes: [...notes, ...missing] };
}

async function readServer(
  place: HostPlace,
  name: string,
  { action, context }: Pick<EmitOptions, 'action' | 'context'>,
): Promise<{ readonly server: SourceServer; readonly notes: readonly string[] }> {
  const { host, adHoc } = place;
  const listing = await listedServers(place, { action, server: name, lists: ['tools'], context });
  const known = new Map(host.tools().map((tool) => [JSON.stringify([tool.server, tool.tool]), tool.name]));
  const setAside = host.setAside().filter(({ server }) => server === name);
  const tools = listing.servers.flatMap(({ catalog }) =>
    catalog.toolDefinitions(catalog.tools.map(({ name: tool }) => tool)).flatMap((definition) => {
      const { name: tool, description, inputSchema, outputSchema } = definition;
      const called = known.get(JSON.stringify([name, tool]));
      return called === undefined ? [] : [{ name: called, tool, description, inputSchema, outputSchema }];
    }),
  );
  const { written } = adHoc === undefined ? { written: undefined } : await serverOf(place, adHoc);
  const entry = written && withoutSecrets(written);
  return {
    server: { name, tools, entry: entry?.entry },
    notes: [
      ...listing.warnings,
      ...setAside.map((one) => `warning: "${name}": ${setAsideText(one, 'left out')}`),
      ...(entry?.isCut === true
        ? ['note: variables, headers and the query of the URL are not written to the source']
        : []),
      ...(entry?.isMasked === true
        ? [
            `note: secrets in arguments and in the path of the URL are written as ${VARIABLE}: set that variable, or name others`,
          ]
        : []),
    ].map(showLine),
  };
}

interface PlainEntry {
  readonly entry: JsonObject;
  /** Fields were left out. */
  readonly isCut: boolean;
  /** A variable stands for parts of fields. */
  readonly isMasked: boolean;
}

/** The entry of a server of the command line without what may be a secret: variables, headers, parts of the URL. */
function withoutSecrets(written: JsonObject): PlainEntry {
  const { env, headers, url, ...rest } = written;
  const address = typeof url === 'string' && parseUrl(url) !== undefined ? new URL(url) : undefined;
  const plain = address && withVariable(maskUrl(`${address.origin}${address.pathname}`));
  const { args, command } = rest;
  const shown = Array.isArray(args) ? maskArguments(args, command).map(withVariable) : undefined;
  const isCut = [env, headers].some((one) => isObject(one) && Object.keys(one).length > 0);
  const entry = { ...rest, ...(shown && { args: shown }), ...(plain !== undefined && { url: plain }) };
  return {
    entry,
    isCut: isCut || (address !== undefined && `${address.search}${address.username}${address.password}` !== ''),
    isMasked: JSON.stringify([shown, plain]).includes(VARIABLE),
  };
}

/** Stands for a secret; Plugboard expands it as in every entry. */
const VARIABLE = '${SECRET}';

function withVariable<Value>(masked: Value): Value | string {
  return typeof masked === 'string' ? masked.replaceAll(MASK, () => VARIABLE) : masked;
}

function emittedJson({ server, tools, source, file }: Emitted): object {
  return { server, tools, ...(file === undefined ? { source } : { file }) };
}

function tellEmitted({ server, tools, source, file, notes }: Emitted): Told {
  const sentence = showLine(`Wrote ${countOf(tools, 'tool')} of "${server}" to ${file}`);
  return {
    tone: 'done',
    parts: [file === undefined ? { kind: 'text', text: source.trimEnd() } : { kind: 'sentence', text: sentence }],
    notes,
  };
}
