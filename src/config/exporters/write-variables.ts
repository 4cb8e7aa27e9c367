import { referencesIn, type VariableReference } from '../entries/expand.js';

/** A text with its variables in another host's syntax, or why the other host cannot express the text. */
export type ForeignWording = { readonly text: string; readonly lost: readonly string[] } | { readonly cannot: string };

/** Writes the variables of a text in another host's syntax. Never puts a value in a variable's place. */
export type VariableWriter = (text: string) => ForeignWording;

export interface ForeignSyntax {
  /** The host's name for people. */
  readonly title: string;
  /** A variable in the host's syntax. Undefined: the host has no variables. */
  readonly toReference?: (name: string) => string;
  /** The variables that mean the project's folder here, in the host's syntax. */
  readonly projectFolder?: string;
  /** Whether the host knows `${NAME:-default}`. */
  readonly hasDefaults?: boolean;
  /** What the host would read as a variable although it is none here. */
  readonly ownSyntax?: RegExp;
}

export function variableWriter({
  title,
  toReference,
  projectFolder,
  hasDefaults = false,
  ownSyntax,
}: ForeignSyntax): VariableWriter {
  const write = (reference: VariableReference, whole: string): string | undefined => {
    if (projectFolders.has(reference.name)) return projectFolder;
    if (pluginFolders.has(reference.name)) return undefined;
    return hasDefaults ? whole : toReference?.(reference.name);
  };
  return (text) => {
    const lost: string[] = [];
    let written = '';
    let rest = 0;
    const literals: string[] = [];
    for (const reference of referencesIn(text)) {
      const value = write(reference, text.slice(reference.start, reference.end));
      if (value === undefined) return { cannot: cannotName(reference.name, { title, hasNone: !toReference }) };
      if (reference.fallback !== undefined && !hasDefaults) lost.push(lostDefault(reference.name, title));
      literals.push(text.slice(rest, reference.start));
      written += text.slice(rest, reference.start) + value;
      rest = reference.end;
    }
    literals.push(text.slice(rest));
    const odd = ownSyntax && literals.map((literal) => ownSyntax.exec(literal)?.[0]).find((found) => found);
    if (odd !== undefined) return { cannot: `${title} would read ${JSON.stringify(odd.slice(0, 40))} as a variable` };
    return { text: written + text.slice(rest), lost };
  };
}

/** The name of the variable that a text consists of; undefined for any other text. */
export function onlyVariableIn(text: string): VariableReference | undefined {
  const [first] = referencesIn(text);
  return first?.start === 0 && first.end === text.length ? first : undefined;
}

/** Whether a variable has a value only here. */
export function isOurVariable(name: string): boolean {
  return projectFolders.has(name) || pluginFolders.has(name);
}

export function lostDefault(name: string, title: string): string {
  return `the default of \${${name}} is left out: ${title} has none; set the variable ${name}`;
}

function cannotName(name: string, { title, hasNone }: { readonly title: string; readonly hasNone: boolean }): string {
  if (isOurVariable(name)) return `only Plugboard sets \${${name}}`;
  return hasNone ? `${title} has no variables, and this needs \${${name}}` : `${title} cannot express \${${name}}`;
}

const projectFolders: ReadonlySet<string> = new Set(['PLUGBOARD_PROJECT_DIR', 'CLAUDE_PROJECT_DIR']);
const pluginFolders: ReadonlySet<string> = new Set(['PLUGBOARD_PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT']);
