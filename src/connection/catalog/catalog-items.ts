import type { ToolHints, ToolMarks } from '../../model/tool.js';
import type { DefinitionReader } from './catalog-cache.js';
import { toHints, toMarks } from './fetch-list.js';
import { readPrompt, type ServerPromptDefinition } from './prompt-definition.js';
import {
  parseResource,
  readTemplate,
  type ServerResourceDefinition,
  type ServerTemplateDefinition,
} from './resource-definition.js';
import { type ListedSkill, parseListedSkill } from './skill-definition.js';
import { parseTool, type ServerToolDefinition } from './tool-definition.js';

export interface ToolSummary {
  readonly name: string;
  readonly title: string | undefined;
  readonly hints: ToolHints;
  readonly marks: ToolMarks;
}

/** A resource, without its description. */
export interface ResourceSummary {
  /** For a template: the URI template. */
  readonly uri: string;
  /** The server's name for it; empty where it gave none. */
  readonly name: string;
}

/** A prompt, without its arguments. */
export interface PromptSummary {
  /** As the server spells it. */
  readonly name: string;
  /** A name for people; undefined where the server gave none. */
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

/** Definitions in the cache have been redacted already. */
const asItIs = (text: string): string => text;
export const TOOL: DefinitionReader<ServerToolDefinition> = {
  key: 'name',
  read: (item) => {
    const tool = parseTool(item, asItIs);
    return 'reason' in tool ? undefined : tool;
  },
};
export const RESOURCE: DefinitionReader<ServerResourceDefinition> = {
  key: 'uri',
  read: (item) => parseResource(item, asItIs),
};
export const TEMPLATE: DefinitionReader<ServerTemplateDefinition> = {
  key: 'uriTemplate',
  read: (item) => readTemplate(item, asItIs),
};
export const SKILL: DefinitionReader<ListedSkill> = { key: 'uri', read: parseListedSkill };
export const PROMPT: DefinitionReader<ServerPromptDefinition> = {
  key: 'name',
  read: (item) => readPrompt(item, asItIs),
};
