import { unreachable } from '../../base/never.js';
import type { UnreadableSetting, PermissionMode, RuleList, WrittenPlace, WrittenRule } from './settings.js';

export interface Decision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly by: DecidedBy;
  /** What somebody would have to be asked about, where a mode asks nobody. */
  readonly because?: DecidedBy;
  /** A sentence for whoever wants to know why. */
  readonly reason: string;
  /** What permits it names this tool and no other. */
  readonly isExact?: boolean;
}

/** What decided, and where that is written. */
export type DecidedBy =
  | ({ readonly kind: 'rule'; readonly rule: string; readonly list: RuleList } & WrittenPlace)
  /** The file is missing for the mode that holds when nobody says any. */
  | ({ readonly kind: 'mode'; readonly mode: PermissionMode } & Partial<WrittenPlace>)
  | { readonly kind: 'hint'; readonly hint: 'destructive' | 'read-only' }
  /** `_meta["anthropic/requiresUserInteraction"]` */
  | { readonly kind: 'needs-user' }
  | ({ readonly kind: 'trust' } & Partial<WrittenPlace>)
  | { readonly kind: 'typed' }
  | { readonly kind: 'hook' }
  /** It would read a file that looks like one with secrets in it. */
  | { readonly kind: 'secret' }
  /** Somebody was asked earlier in this session. */
  | { readonly kind: 'session' }
  | { readonly kind: 'built-in' }
  /** It is no longer what the user allowed. */
  | { readonly kind: 'definition' }
  /** Its server has an `mcp.lock` that does not have it. */
  | { readonly kind: 'unpinned' }
  /** What `mcp.lock` has of it is something else. */
  | { readonly kind: 'lock'; readonly file: string }
  | ({ readonly kind: 'doubt' } & WrittenPlace)
  /** Somebody was asked about this very call. */
  | { readonly kind: 'person' };

/** In a word or two, for a line of a ledger. */
export function decidedByText(by: DecidedBy): string {
  switch (by.kind) {
    case 'rule':
      return `${by.list} ${by.rule}`;
    case 'mode':
      return `mode ${by.mode}`;
    case 'hint':
      return `hint ${by.hint}`;
    case 'needs-user':
    case 'trust':
    case 'typed':
    case 'hook':
    case 'secret':
    case 'session':
    case 'built-in':
    case 'definition':
    case 'unpinned':
    case 'lock':
    case 'doubt':
    case 'person':
      return by.kind;
    default:
      return unreachable(by);
  }
}

export function byRule({ text, list, file, line }: WrittenRule): DecidedBy {
  return { kind: 'rule', rule: text, list, file, ...(line !== undefined && { line }) };
}

export function byDoubt({ file, line }: UnreadableSetting): DecidedBy {
  return { kind: 'doubt', file, ...(line !== undefined && { line }) };
}

/** `file:line`, the way editors and terminals make it clickable. */
export function placeText({ file, line }: WrittenPlace): string {
  return line === undefined ? file : `${file}:${line}`;
}
