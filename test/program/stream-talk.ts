import { PassThrough } from 'node:stream';
import { Embedder, type EmbedderOptions } from '../embedder.js';
import type { AnthropicTurn } from '../fixtures/anthropic-dialect.js';
import type { Json, Reply } from '../fixtures/scripted-api.js';
import { type PromptScene, promptScene } from './prompt-scene.js';
import type { Run } from './sandbox.js';

/** The program, run in this process, and an embedder that talks to it in stream-json. */
interface Talk {
  readonly embedder: Embedder;
  readonly api: PromptScene['api'];
  /** For further runs in the same home. */
  readonly scene: PromptScene;
  readonly user: (content: unknown) => void;
  readonly request: (subtype: string, more?: object) => Promise<Json>;
  /** The lines of this type so far. */
  readonly lines: (type: string) => readonly Json[];
  /** Resolves with the result of this turn. */
  readonly result: (turn: number) => Promise<Json>;
  readonly leave: () => void;
  /** Ends stdin. */
  readonly end: () => Promise<Run>;
  readonly ended: Promise<Run>;
}

const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];

export async function talk(
  script: readonly Reply<AnthropicTurn>[] | ((turn: number, body: Json) => Reply<AnthropicTurn>),
  args: readonly string[] = [],
  serving: Omit<EmbedderOptions, 'input' | 'output'> = {},
  files: Readonly<Record<string, unknown>> = {},
): Promise<Talk> {
  const scene = await promptScene(script, files);
  const { api, run } = scene;
  const [input, output] = [new PassThrough(), new PassThrough()];
  const leaving = new AbortController();
  const ended = run([...STREAM, ...args], { control: { input, output }, interrupted: leaving.signal });
  const embedder = new Embedder({ input: output, output: input, ...serving });
  const lines = (type: string): readonly Json[] => embedder.others.filter((line) => line['type'] === type);
  let count = 0;
  return {
    api,
    scene,
    embedder,
    lines,
    ended,
    leave: () => leaving.abort(),
    end: () => (input.end(), ended),
    user: (content) => embedder.send({ type: 'user', message: { role: 'user', content } }),
    request: async (subtype, more = {}) => {
      const id = `r${++count}`;
      embedder.send({ type: 'control_request', request_id: id, request: { subtype, ...more } });
      const found = await embedder.until(() =>
        lines('control_response').find(({ response }) => (response as Json)['request_id'] === id),
      );
      return found['response'] as Json;
    },
    result: (turn) => embedder.until(() => lines('result')[turn - 1]),
  };
}
