import type { ToolHints, ToolMarks } from '../model/tool.js';
import type { DefinitionReader } from './catalog-shelf.js';
import { toHints, toMarks } from './fetch-list.js';
import { readPrompt, type RemotePrompt } from './remote-prompt.js';
import { parseResource, readTemplate, type RemoteResource, type RemoteTemplate } from './remote-resource.js';
import { parseTool, type RemoteTool } from './remote-tool.js';

export interface ToolSummary {
  readonly name: string;
  readonly title: string | undefined;
  readonly hints: ToolHints;
  readonly marks: ToolMarks;
}

export interface ResourceSummary {
  /** Of a template: the one with blanks in it. */
  readonly uri: string;
  readonly name: string;
}

export interface PromptSummary {
  readonly name: string;
  readonly title: string | undefined;
}

export const toToolSummary = (name: string, title: string | undefined, bits: number): ToolSummary => ({
  name,
  title,
  hints: toHints(bits),
  marks: toMarks(bits),
});
export const toResourceSummary = (uri: string, name: string | undefined): ResourceSummary => ({
  uri,
  name: name ?? '',
});
export const toPromptSummary = (name: string, title: string | undefined): PromptSummary => ({ name, title });

/** What is on the shelf has been redacted already. */
const asItIs = (text: string): string => text;
export const TOOL: DefinitionReader<RemoteTool> = {
  key: 'name',
  read: (item) => {
    const tool = parseTool(item, asItIs);
    return 'reason' in tool ? undefined : tool;
  },
};
export const RESOURCE: DefinitionReader<RemoteResource> = { key: 'uri', read: (item) => parseResource(item, asItIs) };
export const TEMPLATE: DefinitionReader<RemoteTemplate> = {
  key: 'uriTemplate',
  read: (item) => readTemplate(item, asItIs),
};
export const PROMPT: DefinitionReader<RemotePrompt> = { key: 'name', read: (item) => readPrompt(item, asItIs) };
