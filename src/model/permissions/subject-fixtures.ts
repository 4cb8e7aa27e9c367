import type { ToolHistory } from './decide.js';
import {
  type PermissionMode,
  type PermissionSettings,
  ruleLists,
  toPermissions,
  type WrittenRule,
} from './settings.js';
import type { PermissionSubject } from './subject.js';

export interface Given {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly servers?: Readonly<Record<string, PermissionMode>>;
  readonly memory?: ToolHistory;
}

export function settingsOf({ mode, servers = {}, ...lists }: Given): PermissionSettings {
  const rules = ruleLists.flatMap((list) =>
    (lists[list] ?? []).map((text, index): WrittenRule => ({ text, list, source: 'user', file: 'f', line: index + 1 })),
  );
  const place = { source: 'user', file: 'f' } as const;
  const modes = [
    ...(mode ? [{ mode, ...place }] : []),
    ...Object.entries(servers).map(([server, own]) => ({ mode: own, server, ...place })),
  ];
  return toPermissions({ rules, modes, doubts: [] });
}

const HINTS = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
const MARKS = { saysDestructive: false, alwaysLoad: false, needsUser: false, isHidden: false };

export type Change = Partial<Omit<PermissionSubject, 'hints' | 'marks'>> & {
  readonly hints?: Partial<PermissionSubject['hints']>;
  readonly marks?: Partial<PermissionSubject['marks']>;
};

export function subjectWith({ hints, marks, ...change }: Change = {}): PermissionSubject {
  const { server = 's', tool = 't' } = change;
  return {
    name: `mcp__${server}__${tool}`,
    server,
    tool,
    author: 'user',
    isTrusted: false,
    isTyped: false,
    hints: { ...HINTS, ...hints },
    marks: { ...MARKS, ...marks },
    ...change,
  };
}
