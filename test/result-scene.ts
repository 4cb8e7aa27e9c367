import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ContentBlock } from '../src/model/content/content-block.js';
import type { ToolResult } from '../src/model/tool.js';
import { ImageResizer } from '../src/results/binary/image-resizer.js';
import { type SpillFolder, spillFolder } from '../src/edge/spill/spill-folder.js';
import { shapeResult } from '../src/results/shape-result.js';
import type { ShapeOptions, UnshapedResult } from '../src/results/shaping.js';

/** A results folder, and a tool `mcp__weather__report` of the server `weather`. */
export interface ResultScene {
  readonly root: string;
  readonly store: SpillFolder;
  readonly options: ShapeOptions;
  readonly shape: (result: Partial<UnshapedResult>, options?: Partial<ShapeOptions>) => Promise<Shaped>;
}

export interface Shaped extends ToolResult {
  /** The texts that a model reads. */
  readonly texts: readonly string[];
  /** The contents of the files that the result names. */
  readonly files: readonly string[];
}

export function openResultScene(): ResultScene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-results-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = spillFolder(join(root, 'results'));
  const options: ShapeOptions = {
    name: 'mcp__weather__report',
    server: 'weather',
    tokenLimit: 25_000,
    store,
    images: new ImageResizer(),
  };
  return {
    root,
    store,
    options,
    shape: async (result, more = {}) => {
      const shaped = await shapeResult(toResult(result), { ...options, ...more });
      return {
        ...shaped,
        texts: shaped.content.flatMap(({ text: words }) => (typeof words === 'string' ? [words] : [])),
        files: shaped.saved.map(({ path }) => readFileSync(path, 'utf8')),
      };
    },
  };
}

export function toResult(result: Partial<UnshapedResult>): UnshapedResult {
  return { outcome: 'ok', content: [], saved: [], notes: [], attempts: 1, ...result };
}

export function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}
