import { parseTree } from 'jsonc-parser';
import { HostError } from '../../base/errors.js';
import type { RuleList } from '../../model/permissions/settings.js';
import type { ConfigContext } from '../context.js';
import { findNode, type JsonNode } from '../document.js';
import { type Edit, editFile } from '../edit/edit-file.js';
import { getFromText, setInText } from '../edit/edit-text.js';
import { fileToWrite } from '../edit/manage.js';

export interface RuleToRemember {
  readonly rule: string;
  readonly list?: RuleList;
  /** Default: this project only (`local`). */
  readonly scope?: 'local' | 'user';
  readonly dryRun?: boolean;
}

/** Adds a rule to the user's own settings, unless it is there. Comments and everything else stay. */
export async function rememberRule(
  context: ConfigContext,
  { rule, list = 'allow', scope = 'local', dryRun = false }: RuleToRemember,
): Promise<Edit> {
  const path = ['settings', 'permissions', list];
  return addRule(context, { path, rule, scope, dryRun });
}

/** Adds a rule to `flow.allow` of the user's own settings, unless it is there. */
export async function rememberFlowRule(
  context: ConfigContext,
  { rule, scope }: Required<Pick<RuleToRemember, 'rule' | 'scope'>>,
): Promise<Edit> {
  return addRule(context, { path: ['settings', 'flow', 'allow'], rule, scope, dryRun: false });
}

async function addRule(
  context: ConfigContext,
  { path, rule, scope, dryRun }: Omit<Required<RuleToRemember>, 'list'> & { readonly path: readonly string[] },
): Promise<Edit> {
  const change = (text: string): string => {
    const before = getFromText(text, path);
    if (before !== undefined && !Array.isArray(before)) {
      throw new HostError('config-invalid', `${path.join('.')} is not an array, so no rule can be added to it`);
    }
    if (before?.includes(rule) === true) return text;
    // A local file is named by a hash, so the project is written into it.
    const named = scope === 'local' ? setInText(text, ['project'], context.projectRoot) : text;
    return append(named, path, { before: before ?? [], rule });
  };
  return editFile(fileToWrite(context, scope), change, { context, ...(dryRun && { dryRun }) });
}

function append(
  text: string,
  path: readonly string[],
  { before, rule }: { readonly before: readonly unknown[]; readonly rule: string },
): string {
  const wanted = [...before, rule];
  const tree = before.length === 0 ? undefined : parseTree(text, [], { allowTrailingComma: true });
  const list = tree && findNode(tree, path);
  const edited = list && insertLast(text, list, JSON.stringify(rule));
  // If a comment is in the way the list is written anew, without it, rather than a file that cannot be read.
  const isRight = edited !== undefined && says(edited, path, wanted);
  return isRight ? edited : setInText(text, path, wanted);
}

/** Adds an element, on its own line if the last one has its own; a comment after the last one stays with it. */
function insertLast(text: string, { offset, length, children = [] }: JsonNode, element: string): string | undefined {
  const last = children.at(-1);
  if (!last) return undefined;
  const end = last.offset + last.length;
  const close = offset + length - 1;
  const comma = /^\s*,/u.test(text.slice(end, close)) ? '' : ',';
  const lineStart = text.lastIndexOf('\n', last.offset) + 1;
  const indent = text.slice(lineStart, last.offset);
  const lineEnd = text.indexOf('\n', end);
  if (indent.trim() !== '' || lineEnd === -1 || lineEnd > close) {
    return `${text.slice(0, end)}, ${element}${text.slice(end)}`;
  }
  const isReturned = text[lineEnd - 1] === '\r';
  const stop = isReturned ? lineEnd - 1 : lineEnd;
  const newline = isReturned ? '\r\n' : '\n';
  const trailing = comma === '' ? ',' : '';
  return `${text.slice(0, end)}${comma}${text.slice(end, stop)}${newline}${indent}${element}${trailing}${text.slice(stop)}`;
}

function says(text: string, path: readonly string[], wanted: readonly unknown[]): boolean {
  try {
    return JSON.stringify(getFromText(text, path)) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}
