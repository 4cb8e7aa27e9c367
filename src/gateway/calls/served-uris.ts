import { isObject, type JsonObject } from '../../base/json.js';
import type { Tables } from '../lists/tables.js';

/** A result whose resources have the URIs that clients know. The same object where none changes. */
export class ServedUris {
  readonly #tables: Tables;
  readonly #server: string;

  constructor(tables: Tables, server: string) {
    this.#tables = tables;
    this.#server = server;
  }

  /** A result of tools/call: links and embedded resources. */
  inContent(result: JsonObject): JsonObject {
    const { content } = result;
    if (!Array.isArray(content)) return result;
    const blocks = mapped(content, (block) => this.#inBlock(block));
    return blocks === content ? result : { ...result, content: blocks };
  }

  /** A result of prompts/get. */
  inMessages(result: JsonObject): JsonObject {
    const { messages } = result;
    if (!Array.isArray(messages)) return result;
    const served = mapped(messages, (message) => {
      if (!isObject(message)) return message;
      const { content } = message;
      const blocks = Array.isArray(content) ? mapped(content, (block) => this.#inBlock(block)) : this.#inBlock(content);
      return blocks === content ? message : { ...message, content: blocks };
    });
    return served === messages ? result : { ...result, messages: served };
  }

  /** A result of resources/read. */
  inContents(result: JsonObject): JsonObject {
    const { contents } = result;
    if (!Array.isArray(contents)) return result;
    const served = mapped(contents, (content) => this.#withUri(content));
    return served === contents ? result : { ...result, contents: served };
  }

  /** A result of skills/get or resources/directory/read. */
  inSkillInfo(result: JsonObject): JsonObject {
    const { skill, resources } = result;
    if (isObject(skill)) return { ...result, skill: this.inSkill(skill) };
    return Array.isArray(resources)
      ? { ...result, resources: mapped(resources, (resource) => this.#withUri(resource)) }
      : result;
  }

  /** One skill, with its files. */
  inSkill(skill: JsonObject): JsonObject {
    const { resources } = skill;
    const served = this.#withUri(skill) as JsonObject;
    return Array.isArray(resources)
      ? { ...served, resources: mapped(resources, (resource) => this.#withUri(resource)) }
      : served;
  }

  #inBlock(block: unknown): unknown {
    if (!isObject(block)) return block;
    if (block['type'] === 'resource_link') return this.#withUri(block);
    if (block['type'] !== 'resource') return block;
    const { resource } = block;
    const served = this.#withUri(resource);
    return served === resource ? block : { ...block, resource: served };
  }

  #withUri(value: unknown): unknown {
    if (!isObject(value) || typeof value['uri'] !== 'string') return value;
    const uri = this.#tables.mention(this.#server, value['uri']);
    return uri === value['uri'] ? value : { ...value, uri };
  }
}

/** The same list where nothing changes. */
function mapped(list: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, value] of list.entries()) {
    const served = map(value);
    if (copy === undefined && served !== value) copy = list.slice(0, at);
    copy?.push(served);
  }
  return copy ?? list;
}
