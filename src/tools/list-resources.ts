import type { HostError } from '../base/errors.js';
import { shorten } from '../base/shorten.js';
import type { ServerResourceDefinition, ServerTemplateDefinition } from '../connection/catalog/resource-definition.js';
import type { CallContext } from '../model/tool.js';
import { type BuiltInTool, toTool } from './built-in.js';
import { builtInJsonSchemas } from './built-in-json-schemas.js';

export interface ListResourcesToolOptions {
  /** Contract: never rejects; may stop at about `limit` items. */
  readonly list: (
    question: Pick<CallContext, 'signal' | 'timeoutMs'> & {
      readonly server?: string | undefined;
      readonly limit: number;
    },
  ) => Promise<
    | {
        readonly ok: true;
        readonly resources: readonly (ServerResourceDefinition & { readonly server: string })[];
        readonly templates: readonly (ServerTemplateDefinition & { readonly server: string })[];
        readonly notes: readonly string[];
      }
    | { readonly ok: false; readonly error: HostError }
  >;
}

/** The tool that lists resources for a model. */
export function listResourcesTool({ list }: ListResourcesToolOptions): BuiltInTool {
  return toTool({
    name: 'ListMcpResources',
    title: 'List resources',
    description:
      'Lists the resources that MCP servers offer to read, and templates of addresses with blanks to fill in. ' +
      'Each has the name of its server, for ReadMcpResource.',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    inputSchema: builtInJsonSchemas.ListMcpResources,
    async run({ server }, { signal, timeoutMs }) {
      const listed = await list({ server, limit: ITEM_LIMIT, signal, timeoutMs });
      if (!listed.ok) throw listed.error;
      const room = { left: TEXT_LIMIT };
      const resources = fitting(listed.resources, room, toResource);
      const templates = fitting(listed.templates, room, toTemplate);
      const notes = [...listed.notes];
      const isCut =
        resources.length < listed.resources.length ||
        templates.length < listed.templates.length ||
        Math.max(listed.resources.length, listed.templates.length) >= ITEM_LIMIT;
      if (isCut) {
        const how =
          server === undefined
            ? '; name one server to see more of it'
            : '; others can be read, but for those that are not listed somebody is asked';
        notes.push(`Not all are shown${how}`);
      }
      const shown = { resources, templates, ...(notes.length > 0 && { notes }) };
      return { content: [{ type: 'text', text: JSON.stringify(shown) }] };
    },
  });
}

const ITEM_LIMIT = 1_000;
const TEXT_LIMIT = 40_000; // characters; a longer result would be saved to a file
const DESCRIPTION_LIMIT = 300; // enough to choose by; there may be hundreds

/** As many items as fit into `room`. */
function fitting<T>(items: readonly T[], room: { left: number }, toShown: (item: T) => object): object[] {
  const shown: object[] = [];
  for (const item of items) {
    const one = toShown(item);
    room.left -= JSON.stringify(one).length + 1;
    if (room.left < 0) break;
    shown.push(one);
  }
  return shown;
}

function toResource({ server, uri, size, ...texts }: ServerResourceDefinition & { readonly server: string }): object {
  return { server, uri, ...toTexts(texts), ...(size !== undefined && { size }) };
}

function toTemplate({ server, uriTemplate, ...texts }: ServerTemplateDefinition & { readonly server: string }): object {
  return { server, uriTemplate, ...toTexts(texts) };
}

function toTexts({ name, title, description, mimeType }: Omit<ServerTemplateDefinition, 'uriTemplate'>): object {
  const said = shorten(description, DESCRIPTION_LIMIT);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(said !== '' && { description: said }),
    ...(mimeType !== undefined && { mimeType }),
  };
}
