import { resolve } from 'node:path';
import { HostError } from '../../base/errors.js';
import type { ResourceAnswer, ResourceContent } from '../../connection/read-resource.js';
import type { SavedFile } from '../../model/tool.js';
import { adHocOptions, adHocServer } from '../ad-hoc.js';
import type { Invocation } from '../arguments.js';
import type { Io } from '../io.js';
import { loadToStart } from '../load-to-start.js';
import { showLine } from '../../model/show.js';
import type { Outcome, Verb } from '../verb.js';
import { usageError } from '../usage-error.js';

export const read: Verb = {
  name: 'read',
  usage: 'SERVER URI [name=value]... | URL URI | URI -- COMMAND ARGS',
  summary: 'Read a resource of a server; name=value fills in the blanks of a template',
  takesCommand: true,
  options: [
    { name: 'output', short: 'o', value: 'FILE', summary: 'write it to FILE, as the server sent it' },
    ...adHocOptions,
  ],
  completes: 'server',
  examples: [
    'plugboard read docs docs://guide',
    "plugboard read docs 'docs://page/{number}' number=7",
    'plugboard read images img://logo --output logo.png',
    'plugboard read demo://resource/static/document/startup.md -- npx -y @modelcontextprotocol/server-everything',
  ],
  async run(given, io) {
    const { server: named, uri, values } = wordsOf(given);
    // The address of a resource may look like that of a server: only the first word can be one.
    const adHoc = adHocServer({ ...given, positionals: named === undefined ? [] : [named] });
    const invocation = adHoc?.invocation ?? given;
    const server = adHoc?.name ?? named!;
    const loaded = await loadToStart(invocation, io, { starts: ({ name }) => name === server });
    const { chooseNames } = await import('../choose-names.js');
    const { withHost } = await import('../open-host.js');
    const { callProgress } = await import('../call-progress.js');
    const only = await chooseNames(loaded, server, 'read');
    return withHost({ invocation, io, loaded, only, mayAsk: true }, async (run) => {
      const { host, signal } = run;
      const connection = host.connection(server);
      if (connection?.status.kind === 'idle') connection.start('use');
      await run.settled(connection?.decided());
      const isWanted = !invocation.has('quiet') && !invocation.has('json');
      const progress = run.desk.around(callProgress(io, { isWanted, tool: uri }));
      const output = invocation.value('output');
      const answer = await host
        .readResource({ server, uri, values, signal, isExact: output !== undefined })
        .finally(() => progress.clear());
      if (!answer.ok) throw answer.error;
      const notes = [...answer.notes.map((note) => `note ${showLine(note)}`), ...run.notes];
      if (output !== undefined) {
        const saved = await writeOutput(answer, resolve(loaded.context.cwd, output));
        return { ...toFile(answer, saved), notes: [...notes, showLine(`saved ${saved.bytes} bytes to ${saved.path}`)] };
      }
      const shown = await show(answer, { io, isJson: invocation.has('json'), state: loaded.context.places.state });
      return { ...shown, notes: [...(shown.notes ?? []), ...notes] };
    });
  },
};

interface Words {
  readonly server: string | undefined;
  readonly uri: string;
  /** For the blanks of a template. */
  readonly values: Readonly<Record<string, string>> | undefined;
}

function wordsOf({ positionals, command }: Invocation): Words {
  const [first] = positionals;
  const [uri, ...more] = command ? positionals : positionals.slice(1);
  const server = command ? undefined : first;
  const pairs = more.map((word) => /^([\w.%-]+)=([\s\S]*)$/u.exec(word));
  if (uri === undefined || pairs.includes(null)) {
    const what = command ? 'the address of a resource before --' : 'a server and the address of a resource';
    throw usageError(`read takes ${what}`, {
      hint:
        first === undefined || command
          ? `plugboard read ${read.usage}`
          : `See what there is: plugboard resources ${showLine(first)}`,
    });
  }
  const values = Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
  return { server, uri, values: more.length > 0 || uri.includes('{') ? values : undefined };
}

interface Showing {
  readonly io: Io;
  readonly isJson: boolean;
  readonly state: string | undefined;
}

/** Texts are shown; what is none goes to a file, unless somebody wants JSON. */
async function show({ contents, saved }: ResourceAnswer, { io, isJson, state }: Showing): Promise<Outcome> {
  const files: SavedFile[] = [...saved];
  if (isJson) return { data: { contents, ...(files.length > 0 && { saved: files }) }, text: '' };
  const { saveContent } = await import('../../host/save-content.js');
  const { forScreen } = await import('../screen-text.js');
  const { gateText } = await import('../../model/text-gate.js');
  const texts: string[] = [];
  for (const content of contents) {
    const head = contents.length > 1 ? `[${showLine(content.uri)}]\n` : '';
    if ('text' in content) texts.push(head + gateText(content.text).text);
    else if (state === undefined) texts.push(`${head}[${describe(content)}; --output FILE writes it]`);
    else files.push(await saveContent(state, content));
  }
  return {
    data: {},
    text: forScreen(texts.join('\n'), io),
    notes: files.map(({ path, bytes, mimeType }) => showLine(`saved ${bytes} bytes (${mimeType}) to ${path}`)),
  };
}

function describe({ mimeType = 'binary data' }: ResourceContent): string {
  return showLine(mimeType);
}

function toFile({ contents }: ResourceAnswer, saved: SavedFile): Outcome {
  return { data: { contents: contents.map(({ uri, mimeType }) => ({ uri, mimeType })), saved: [saved] }, text: '' };
}

async function writeOutput({ contents, saved }: ResourceAnswer, path: string): Promise<SavedFile> {
  const [content, ...more] = contents;
  if (!content || more.length > 0) {
    throw usageError(`--output takes one part, and the resource has ${contents.length}`, {
      hint: 'Leave --output away, or use --json',
    });
  }
  const { bytesOf } = await import('../../host/save-content.js');
  const { copyFile, stat, writeFile } = await import('node:fs/promises');
  try {
    const [large] = saved;
    if (large && 'text' in content) await copyFile(large.path, path);
    else await writeFile(path, bytesOf(content));
    return { path, bytes: (await stat(path)).size, mimeType: content.mimeType ?? 'application/octet-stream' };
  } catch (cause) {
    if (cause instanceof HostError) throw cause;
    throw new HostError('write-failed', `${path} cannot be written: ${String(cause)}`, {
      hint: 'Choose another place with --output FILE',
      cause,
    });
  }
}
