// A program that has no provider's package. It is compiled, and never run.
import {
  type CallResult,
  type ContentBlock,
  errorCodes,
  Host,
  HostError,
  type HostOptions,
  type LocalTool,
  type ModelTurn,
  type ProfileName,
  readSaved,
  type SavedFile,
  Spilled,
} from 'plugboard';
import * as session from 'plugboard/session';
import * as testing from 'plugboard/testing';

const clock: LocalTool = {
  name: 'clock',
  description: 'Says what time it is',
  inputSchema: { type: 'object' },
  call: async () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }),
};

const options: HostOptions = {
  strict: true,
  tools: [clock],
  mcpServers: { notes: { command: 'npx', args: ['-y', 'notes-server'] }, docs: { url: 'https://mcp.example.com/mcp' } },
  permissions: { mode: 'dont-ask', allow: ['mcp__notes'] },
  ports: { ask: async ({ server }) => (server === 'notes' ? { kind: 'allow', remember: 'once' } : { kind: 'deny' }) },
  hooks: { postToolUse: [{ run: ({ ms }) => ({ output: { content: [{ type: 'text', text: `${ms} ms` }] } }) }] },
};

export async function use(): Promise<CallResult> {
  await using host = await Host.open(options);
  if (host.tools().length === 0) throw new HostError('internal', Object.keys({ ...session, ...testing }).join());
  for (const { server, tool, inputSchema, description } of await host.tools({ definitions: true }))
    console.log(server.length, tool.length, inputSchema['type'], description.length);
  const result = await host.call({ name: 'mcp__notes__add_note', input: { text: 'hi' } });
  if (result.error) console.log(errorCodes.includes(result.error.code), result.error.docs.length);
  console.log(result.content.map(toLine));
  for (const file of result.saved) console.log(file.at?.length ?? 0, await sizeOf(file));
  for (const part of spilledIn(result)) for await (const piece of readSaved(part)) console.log(piece.byteLength);
  console.log(host.forModel('openai').tools.map((tool) => tool.function.name.length));
  console.log(anyProfile('gemini', host).tools.length);
  return result;
}

async function sizeOf(file: SavedFile): Promise<number> {
  let size = 0;
  for await (const piece of readSaved(file)) size += piece.length;
  return size;
}

function spilledIn({ serverResult }: CallResult): readonly Spilled[] {
  return Object.values(serverResult?.result ?? {}).filter((value) => value instanceof Spilled);
}

/** Each kind is narrowed by its `type` alone, and what is left is a block of another type. */
function toLine(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text.trim();
    case 'image':
    case 'audio':
      return block.mimeType.concat(block.data);
    case 'resource':
      return block.resource.uri.concat(block.resource.text ?? '');
    case 'resource_link':
      return block.uri.concat(block.name ?? '');
    default:
      return block.type.concat(String(block['anything']));
  }
}

function anyProfile(profile: ProfileName, host: Host): ModelTurn {
  return host.forModel(profile);
}

// @ts-expect-error: the text of a picture does not exist, and `text` of a text is no number.
export const wrong: (block: ContentBlock) => number | undefined = (block) => (block.type === 'text' ? block.text : 1);
// @ts-expect-error: a result is no file; its `saved` has them.
export const whole = (result: CallResult): AsyncIterable<Uint8Array> => readSaved(result);
// @ts-expect-error: a misspelt option is an error before it is one at run time.
export const misspelt: HostOptions = { mcpServer: {} };
