import type { Host } from '../../index.js';
import { type RunningCatalog, runningServer } from '../../actions/running-server.js';
import { unreachable } from '../../base/never.js';
import type { Decision } from '../../model/permissions/decision.js';
import { readStatedHints, type StatedHints } from '../../model/stated-hints.js';
import type { ToolDefinition } from '../../model/tool.js';
import { type CallField, toCallFields } from './call/call-fields.js';
import type { DetailData, Skill, ToolEntry } from './detail-data.js';
import type { ItemRef } from './detail-lines.js';

/** One thing that a server offers, in full. */
export type ItemData =
  | { readonly kind: 'reading' }
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'tool';
      readonly tool: ToolEntry;
      readonly definition: ToolDefinition;
      /** The form for its arguments. */
      readonly fields: readonly CallField[];
      readonly stated: StatedHints | undefined;
      readonly decision: Decision | undefined;
    }
  | { readonly kind: 'prompt'; readonly prompt: Prompt }
  | { readonly kind: 'resource'; readonly resource: Resource }
  | { readonly kind: 'skill'; readonly skill: Skill }
  | { readonly kind: 'set-aside'; readonly tool: string; readonly reason: string };

type Resource = NonNullable<Awaited<ReturnType<RunningCatalog['resource' | 'template']>>>;
export type Prompt = (Awaited<ReturnType<Host['prompts']>> & { readonly ok: true })['prompts'][number];

/** Reads the full item. Starts no server and waits for none. */
export async function readItem(host: Host, item: ItemRef, detail: DetailData): Promise<ItemData> {
  const { name: server } = detail.server.state;
  const catalog = runningServer(host, server)?.catalog;
  switch (item.kind) {
    case 'tool': {
      const tool = detail.tools.find(({ name }) => name === item.name);
      const definition = await tool?.definition();
      if (!tool || !definition) return GONE;
      const { name, inputSchema } = definition;
      return {
        kind: 'tool',
        tool,
        definition,
        fields: toCallFields(inputSchema),
        stated: await readStatedHints(tool),
        decision: host.permission(name),
      };
    }
    case 'prompt': {
      const listed = await host.prompts();
      const prompt = listed.ok
        ? listed.prompts.find((one) => one.server === server && one.name === item.name)
        : undefined;
      return prompt ? { kind: 'prompt', prompt } : GONE;
    }
    case 'resource':
    case 'template': {
      const resource = await catalog?.[item.kind](item.uri);
      return resource ? { kind: 'resource', resource } : GONE;
    }
    case 'skill': {
      const skill = detail.skills?.find(({ uri }) => uri === item.uri);
      return skill ? { kind: 'skill', skill } : GONE;
    }
    case 'set-aside': {
      const found = detail.setAside.find(({ tool }) => tool === item.name);
      return found ? { kind: 'set-aside', tool: found.tool, reason: found.reason } : GONE;
    }
    default:
      return unreachable(item);
  }
}

const GONE = { kind: 'gone' } as const;
