// Resources: https://modelcontextprotocol.io/specification/2025-11-25/server/resources
import type { CallOptions } from '../../wire/peer.js';
import type { Connection } from '../connect.js';
import { isKey, type ItemList, listItems } from './list-items.js';
import { readDescription, readTitle, type Redact } from './server-text.js';

/** A resource as its server describes it: texts cleaned and cut, its address untouched. */
export interface ServerResourceDefinition {
  readonly uri: string;
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly mimeType: string | undefined;
  /** Bytes, as the server says. */
  readonly size: number | undefined;
}

/** A family of resources: whoever fills in the blanks has an address. */
export interface ServerTemplateDefinition extends Texts {
  readonly uriTemplate: string;
}

export function listResources(link: Connection, options?: CallOptions): Promise<ItemList<ServerResourceDefinition>> {
  return listItems(
    link,
    {
      capability: 'resources',
      method: 'resources/list',
      key: 'resources',
      read: (item) => parseResource(item, link.redact),
      nameOf: ({ uri }) => uri,
    },
    options,
  );
}

export function listTemplates(link: Connection, options?: CallOptions): Promise<ItemList<ServerTemplateDefinition>> {
  return listItems(
    link,
    {
      capability: 'resources',
      method: 'resources/templates/list',
      key: 'resourceTemplates',
      read: (item) => readTemplate(item, link.redact),
      nameOf: ({ uriTemplate }) => uriTemplate,
    },
    options,
  );
}

type Item = { readonly [field: string]: unknown };

/** A resource as a server, or a file that holds what one said, describes it. */
export function parseResource(item: Item, redact: Redact): ServerResourceDefinition | undefined {
  const { uri, size } = item;
  if (!isKey(uri, URI_LIMIT)) return undefined;
  return { uri, ...readTexts(item, uri, redact), size: Number.isSafeInteger(size) ? (size as number) : undefined };
}

export function readTemplate(item: Item, redact: Redact): ServerTemplateDefinition | undefined {
  const { uriTemplate } = item;
  return isKey(uriTemplate, URI_LIMIT) ? { uriTemplate, ...readTexts(item, uriTemplate, redact) } : undefined;
}

/** The specification wants a name; a server that has none still has a resource. */
function readTexts({ name, title, description, mimeType }: Item, uri: string, redact: Redact): Texts {
  return {
    name: readTitle(name, redact) ?? readTitle(uri, redact)!,
    title: readTitle(title, redact),
    description: readDescription(description, redact),
    mimeType: readTitle(mimeType, redact),
  };
}

type Texts = Pick<ServerResourceDefinition, 'name' | 'title' | 'description' | 'mimeType'>;

const URI_LIMIT = 4_096; // what servers and browsers take; a data: URL belongs into the contents
