import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/base/json.js';
import { suiteUpstream } from '../start-gateway.js';
import type { ServerAddress } from './foreign-client.js';

/** A program, and the folder that it works in; `$FOLDER` stands for it, because it has another name each time. */
export interface OpenedUpstream extends Extract<ServerAddress, { kind: 'stdio' }> {
  readonly folder?: string;
}

/** A server, and what a client asks it. The answers are the same each time. */
export interface Upstream {
  readonly name: string;
  readonly era: 'legacy' | 'modern';
  /** A new one each time, which shares nothing with the others. */
  readonly open: () => OpenedUpstream;
  readonly requests: readonly (readonly [method: string, params?: JsonObject])[];
  /** What is in the questions and answers: they are not the same because all of them fail. */
  readonly shows?: readonly string[];
  /** Parts of answers that are others each time, and what is compared in their place. */
  readonly varying?: readonly (readonly [part: RegExp, stand: string])[];
}

export const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
  (method) => [method] as const,
);
export const call = (name: string, input: JsonObject = {}) => ['tools/call', { name, arguments: input }] as const;
export const read = (uri: string) => ['resources/read', { uri }] as const;
const prompt = (name: string, input: JsonObject = {}) => ['prompts/get', { name, arguments: input }] as const;
export const complete = (ref: JsonObject, argument: JsonObject) => ['completion/complete', { ref, argument }] as const;

const suiteRequests = [
  ...lists,
  ...['test_simple_text', 'test_image_content', 'test_audio_content', 'test_embedded_resource'].map((name) =>
    call(name),
  ),
  call('test_multiple_content_types'),
  call('test_resource_link'),
  call('test_structured_content', { count: 3 }),
  call('test_error_handling'),
  call('json_schema_2020_12_tool', { name: 'a', email: 'b', phone: '1' }),
  call('test_x_mcp_header', { region: 'us-west1', level: 2 }),
  call('no_such_tool'),
  prompt('test_simple_prompt'),
  prompt('test_prompt_with_arguments', { arg1: 'a', arg2: 'é\u0301' }),
  prompt('test_prompt_with_image'),
  prompt('no_such_prompt'),
  read('test://static-text'),
  read('test://static-binary'),
  read('test://template/7/data'),
  read('test://nothing'),
  complete({ type: 'ref/prompt', name: 'test_prompt_with_arguments' }, { name: 'arg1', value: 'x' }),
];

export const upstreams: readonly Upstream[] = [
  {
    name: 'server-everything',
    era: 'legacy',
    open: () => ({ kind: 'stdio', args: [fileOf('server-everything'), 'stdio'], env: {} }),
    requests: [
      ...lists,
      call('echo', { message: 'ä\u{1F600}' }),
      call('get-sum', { a: 2, b: 3 }),
      call('get-tiny-image'),
      call('get-structured-content', { location: 'Chicago' }),
      call('get-annotated-message', { messageType: 'error', includeImage: true }),
      call('get-resource-links', { count: 3 }),
      prompt('simple-prompt'),
      prompt('args-prompt', { city: 'Bern' }),
      prompt('args-prompt'),
      read('demo://resource/static/document/architecture.md'),
      read('demo://resource/nothing'),
      complete({ type: 'ref/prompt', name: 'completable-prompt' }, { name: 'department', value: 'E' }),
    ],
  },
  {
    name: 'server-filesystem',
    era: 'legacy',
    open() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-files-')));
      writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n');
      return { kind: 'stdio', args: [fileOf('server-filesystem'), folder], env: {}, folder };
    },
    requests: [
      ['tools/list'],
      call('read_text_file', { path: '$FOLDER/a.txt' }),
      call('read_text_file', { path: '$FOLDER/a.txt', head: 1 }),
      call('list_directory', { path: '$FOLDER' }),
      call('write_file', { path: '$FOLDER/b.txt', content: 'three' }),
      call('directory_tree', { path: '$FOLDER' }),
      call('read_text_file', { path: '/etc/passwd' }),
    ],
  },
  {
    name: 'server-memory',
    era: 'legacy',
    open() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-memory-')));
      const env = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
      return { kind: 'stdio', args: [fileOf('server-memory')], env, folder };
    },
    requests: [
      ['tools/list'],
      ['resources/list'],
      call('create_entities', { entities: [{ name: 'a', entityType: 'letter', observations: ['first'] }] }),
      call('create_relations', { relations: [{ from: 'a', to: 'b', relationType: 'precedes' }] }),
      call('read_graph'),
      call('search_nodes', { query: 'first' }),
      call('delete_entities', { entityNames: ['a'] }),
      call('read_graph'),
    ],
  },
  {
    name: 'a modern server of the SDK',
    era: 'modern',
    open: () => ({ kind: 'stdio', args: [...suiteUpstream('modern'), '--stdio'], env: {} }),
    requests: suiteRequests,
  },
  {
    name: 'a legacy server of the SDK',
    era: 'legacy',
    open: () => ({ kind: 'stdio', args: [...suiteUpstream('legacy'), '--stdio'], env: {} }),
    requests: suiteRequests,
  },
];

function fileOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(manifest, '../dist/index.js');
}
