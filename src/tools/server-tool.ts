import { toHints, toMarks } from '../connection/fetch-list.js';
import type { RemoteTool } from '../connection/remote-tool.js';
import { shownHints } from '../model/shown-hints.js';
import type { CallContext, Tool, ToolDefinition, ToolHints, ToolInput, ToolMarks, ToolResult } from '../model/tool.js';
import type { ToolList } from './tool-list.js';

/** What the tools of one server have in common. */
export interface ServerToolSource {
  readonly server: string;
  /** As of now. */
  readonly list: ToolList;
  /** Its entry wants all of them shown from the beginning. */
  readonly alwaysLoad: boolean;
  /** Whether it is not the server's but ours, and stands among them. */
  readonly isOurs: (tool: string) => boolean;
  /** Contract: never rejects. */
  readonly call: (tool: string, input: ToolInput, context: CallContext) => Promise<ToolResult>;
}

/** All hints that there are, with the first of the marks: ten thousand tools share them. */
const SHOWN: readonly ToolHints[] = Array.from({ length: 32 }, (_, bits) => shownHints(toHints(bits), toMarks(bits)));

/** A tool of a server. There may be ten thousand: it holds its names and refers to the rest. */
export class ServerTool implements Tool {
  readonly name: string;
  readonly tool: string;
  readonly title: string | undefined;
  readonly #bits: number;
  readonly #source: ServerToolSource;

  constructor(name: string, tool: string, title: string | undefined, bits: number, source: ServerToolSource) {
    this.name = name;
    this.tool = tool;
    this.title = title;
    this.#bits = bits;
    this.#source = source;
  }

  get server(): string {
    return this.#source.server;
  }

  get hints(): ToolHints {
    return SHOWN[this.#bits & 31]!;
  }

  get marks(): ToolMarks {
    return toMarks(this.#bits);
  }

  get isOurs(): boolean {
    return this.#source.isOurs(this.tool);
  }

  get load(): Tool['load'] {
    return this.#source.alwaysLoad || this.marks.alwaysLoad ? 'always' : 'deferred';
  }

  async definition(): Promise<ToolDefinition | undefined> {
    const found = await this.#source.list.tool(this.tool);
    return found && toDefinition(this.name, found);
  }

  call(input: ToolInput, context: CallContext): Promise<ToolResult> {
    return this.#source.call(this.tool, input, context);
  }
}

/** Under the name that the model knows. */
export function toDefinition(name: string, tool: RemoteTool): ToolDefinition {
  return { ...tool, name };
}
