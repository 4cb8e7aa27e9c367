import { HostError } from '../../base/errors.js';
import type { ResourceAnswer, ResourceContent } from '../../connection/requests/read-resource.js';
import type { HostInside } from '../../host/host-inside.js';
import { inside } from '../../host/inside.js';
import { showLine } from '../../model/show.js';
import { gateText } from '../../model/text/text-gate.js';
import type { SavedFile } from '../../model/tool.js';
import { type Action, defineAction } from '../action.js';
import { configOf, hostOf } from '../action-place.js';
import { chooseNames } from '../choose-servers.js';
import { outFile } from '../files/out-file.js';
import { startIdle } from '../running-server.js';
import { usageError } from '../usage-error.js';

const args = {
  server: { kind: 'server' },
  uri: { kind: 'word', noun: 'the URI of a resource', listedBy: 'resources' },
  values: { kind: 'words' },
  output: { kind: 'text', short: 'o', value: 'FILE', summary: 'write the resource to FILE, as the server sent it' },
} as const;

interface Read {
  readonly contents: readonly (ResourceContent | Pick<ResourceContent, 'uri' | 'mimeType'>)[];
  /** The contents that were saved to files. */
  readonly saved: readonly SavedFile[];
  readonly text: string;
  readonly notes: readonly string[];
}

export const read: Action<typeof args, Read> = defineAction({
  name: 'read',
  label: 'read',
  doing: 'reading',
  summary: 'Read a resource of a server; name=value fills in a URI template',
  args,
  needs: 'host',
  opening: {
    servers(loaded, { server, uri, values }) {
      toValues(uri, values, server); // a mistyped argument is reported before a server is started
      return chooseNames(loaded, server, 'read');
    },
    mayStart: ({ name }, { server }) => name === server,
    mayAsk: true,
  },
  async run(on, { server, uri, values: words, output }, context) {
    const { signal, shows = 'screen', watchCall, wait } = context;
    const values = toValues(uri, words, server);
    const { host } = hostOf(on);
    const config = configOf(on);
    const target = output === undefined ? undefined : await outFile(output, config);
    const running = host[inside].server(server);
    startIdle(running);
    await wait?.(running?.decided() ?? Promise.resolve());
    const progress = watchCall?.(uri);
    const answer = await host
      .readResource({ server, uri, values, signal, isExact: target !== undefined, isUnread: true })
      .finally(() => progress?.clear());
    if (!answer.ok) throw answer.error;
    const { contents, saved } = answer;
    const notes = answer.notes.map((note) => `note: ${showLine(note)}`);
    if (target !== undefined) {
      const file = await writeOutput(answer, target);
      const told = contents.map(({ uri: part, mimeType }) => ({ uri: part, mimeType }));
      const note = showLine(`saved ${file.bytes} bytes to ${file.path}`);
      return { contents: told, saved: [file], text: '', notes: [...notes, note] };
    }
    if (shows === 'data') return { contents, saved, text: '', notes };
    const { text, files } = await toText(contents, host[inside].results);
    const told = [...saved, ...files].map(({ path, bytes, mimeType }) =>
      showLine(`saved ${bytes} bytes (${mimeType}) to ${path}`),
    );
    return { contents, saved: [...saved, ...files], text, notes: [...told, ...notes] };
  },
  json: ({ contents, saved }) => ({ contents, ...(saved.length > 0 && { saved }) }),
  tell: ({ text, notes }) => ({ tone: 'note', parts: text === '' ? [] : [{ kind: 'text', text }], notes }),
});

/** The values for the variables of a URI template; undefined with no variables and no words. Throws `usage`. */
function toValues(uri: string, words: readonly string[], server: string): Readonly<Record<string, string>> | undefined {
  const pairs = words.map((word) => {
    const [, name, value] = /^([\w.%-]+)=([\s\S]*)$/u.exec(word) ?? [];
    if (name !== undefined && value !== undefined) return [name, value] as const;
    throw usageError('read takes a server and the URI of a resource', {
      hint: `List the resources: plugboard resources ${showLine(server)}`,
    });
  });
  return words.length > 0 || uri.includes('{') ? Object.fromEntries(pairs) : undefined;
}

/** The text contents as one text; binary contents go to files. */
async function toText(
  contents: readonly ResourceContent[],
  store: HostInside['results'],
): Promise<{ readonly text: string; readonly files: readonly SavedFile[] }> {
  const { saveContent } = await import('../../host/calls/save-content.js');
  const texts: string[] = [];
  const files: SavedFile[] = [];
  for (const content of contents) {
    const head = contents.length > 1 ? `[${showLine(content.uri)}]\n` : '';
    const { mimeType = 'binary data' } = content;
    if ('text' in content) texts.push(head + gateText(content.text).text);
    else if (store === undefined) texts.push(`${head}[${showLine(mimeType)}; --output FILE writes it]`);
    else files.push(await saveContent(store, content));
  }
  return { text: texts.join('\n'), files };
}

async function writeOutput({ contents, saved }: ResourceAnswer, path: string): Promise<SavedFile> {
  const [content, ...more] = contents;
  if (!content || more.length > 0) {
    throw usageError(`--output writes one part, but the resource has ${contents.length}`, {
      hint: 'Leave --output out, or use --json',
    });
  }
  const { bytesOf } = await import('../../host/calls/save-content.js');
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
