import { unreachable } from '../../base/never.js';
import type { UnreadableSetting, PermissionMode, RuleList, WrittenPlace, WrittenRule } from './settings.js';

/** Whether a tool may be called, and what decided it. */
export interface Decision {
  /** `ask`: the call is made only after the user's yes. */
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** For programs; `reason` says it in words. */
  readonly by: DecidedBy;
  /** The reason why a question was needed, when the mode forbids questions and so denied the call. */
  readonly because?: DecidedBy;
  /** The explanation for the user. */
  readonly reason: string;
  /** The rule or answer that permits the call names this tool only. */
  readonly isExact?: boolean;
}

/** What decided, and where it is written. */
export type DecidedBy =
  | ({ readonly kind: 'rule'; readonly rule: string; readonly list: RuleList } & WrittenPlace)
  /** `file` is missing for the default mode, which no setting names. */
  | ({ readonly kind: 'mode'; readonly mode: PermissionMode } & Partial<WrittenPlace>)
  | { readonly kind: 'hint'; readonly hint: 'destructive' | 'read-only' }
  /** `_meta["anthropic/requiresUserInteraction"]` */
  | { readonly kind: 'needs-user' }
  | ({ readonly kind: 'trust' } & Partial<WrittenPlace>)
  | { readonly kind: 'typed' }
  | { readonly kind: 'hook' }
  /** The call would read a file that looks as if it holds secrets. */
  | { readonly kind: 'secret' }
  /** The call may send out what was read. */
  | { readonly kind: 'flow' }
  /** The user has allowed the tool for this session. */
  | { readonly kind: 'session' }
  | { readonly kind: 'built-in' }
  /** The definition differs from the one that the user allowed. */
  | { readonly kind: 'definition' }
  /** The tool is missing from its server's `mcp.lock`. */
  | { readonly kind: 'unpinned' }
  /** The definition differs from the one in `mcp.lock`. */
  | { readonly kind: 'lock'; readonly file: string }
  | ({ readonly kind: 'doubt' } & WrittenPlace)
  /** A person was asked about this call. */
  | { readonly kind: 'person' };

/** A word or two for the ledger. */
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
    case 'flow':
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

/** `file:line`, which editors and terminals make clickable. */
export function placeText({ file, line }: WrittenPlace): string {
  return line === undefined ? file : `${file}:${line}`;
}
