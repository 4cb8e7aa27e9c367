import type { RunningCatalog } from '../running-server.js';
import { showLine } from '../../model/show.js';

/** What a server says about itself and offers, as far as it is known. */
export interface Offer {
  readonly server: string | undefined;
  readonly capabilities: Readonly<Record<string, unknown>> | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly string[];
  readonly resources: readonly string[];
  readonly prompts: readonly string[];
}

/** A copy of the names, because catalogs change. Undefined when nothing is known. */
export function offerOf(catalog: RunningCatalog | undefined): Offer | undefined {
  if (!catalog || catalog.capabilities === undefined) return undefined;
  const { server, capabilities, instructions, tools, resources, templates, prompts } = catalog;
  return {
    server: server && `${server.name} ${server.version}`.trim(),
    capabilities,
    instructions,
    tools: tools.map(({ name }) => name),
    resources: [...resources, ...templates].map(({ uri }) => uri),
    prompts: prompts.map(({ name }) => name),
  };
}

export function offerLines({ server, capabilities, instructions, tools, resources, prompts }: Offer): string[] {
  const [first = '', ...rest] = (instructions ?? '').split('\n').filter((line) => line.trim() !== '');
  const named: readonly (readonly [string, readonly string[]])[] = [
    ['Tools', tools],
    ['Resources', resources],
    ['Prompts', prompts],
  ];
  return [
    ...(server === undefined || server === '' ? [] : [`  Server: ${showLine(server)}`]),
    `  Capabilities: ${showLine(Object.keys(capabilities ?? {}).join(', ')) || 'none'}`,
    ...(first === '' ? [] : [`  Instructions: ${cut(first, rest.length > 0)}`]),
    ...named
      .filter(([, names]) => names.length > 0)
      .map(([word, names]) => showLine(`  ${word} (${names.length}): ${list(names)}`)),
  ];
}

function cut(line: string, isMore: boolean): string {
  const shown = showLine(line);
  return shown.length > LINE ? `${shown.slice(0, LINE)}…` : `${shown}${isMore ? ' …' : ''}`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, NAMES).join(', ');
  return names.length > NAMES ? `${shown} and ${names.length - NAMES} more` : shown;
}

const LINE = 300; // characters; --json has all of it
const NAMES = 30; // `plugboard tools NAME` has all of them
