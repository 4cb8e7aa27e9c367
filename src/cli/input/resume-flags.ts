import { isUuid } from '../../base/uuid.js';
import type { Option } from '../verb.js';
import type { Invocation } from './arguments.js';
import { usageError } from './usage-error.js';

/** Flags that say which kept session goes on, and whether this one is kept. */
export const resumeOptions: readonly Option[] = [
  { name: 'continue', summary: 'go on with the newest session of this folder' },
  {
    name: 'resume',
    value: 'ID',
    isValueOptional: true,
    summary: 'go on with this session; without ID, pick one in a terminal',
  },
  { name: 'fork-session', summary: 'with --continue or --resume: go on in a copy, under a new id' },
  {
    name: 'resume-session-at',
    value: 'UUID',
    summary: 'with --continue or --resume: forget what came after this message',
  },
  { name: 'session-id', value: 'UUID', summary: 'the id of the new session' },
  { name: 'no-session-persistence', summary: 'do not keep this session' },
];

/** Whether the flags name a session, which is looked for before anything starts. */
export function resumes(invocation: Invocation): boolean {
  return ['continue', 'resume', 'session-id', 'fork-session', 'resume-session-at'].some((flag) => invocation.has(flag));
}

/** The flags of kept sessions, checked. */
export interface ResumeFlags {
  /** Which session goes on. `pick`: the user is asked. */
  readonly from:
    | { readonly kind: 'new' }
    | { readonly kind: 'newest' }
    | { readonly kind: 'pick' }
    | { readonly kind: 'id'; readonly id: string };
  readonly isFork: boolean;
  /** The last message that is kept. */
  readonly at: string | undefined;
  /** The id of the new session. */
  readonly id: string | undefined;
  readonly isKept: boolean;
}

/** Throws `usage`. */
export function readResumeFlags(invocation: Invocation): ResumeFlags {
  const from = readFrom(invocation);
  const isFork = invocation.has('fork-session');
  const [id, at] = [readUuid(invocation, 'session-id'), readUuid(invocation, 'resume-session-at')];
  const alone = (['fork-session', 'resume-session-at'] as const).find((flag) => invocation.has(flag));
  if (from.kind === 'new' && alone !== undefined) {
    throw usageError(`--${alone} needs --continue or --resume`, { hint: `plugboard --continue --${alone}` });
  }
  if (from.kind !== 'new' && id !== undefined && !isFork) {
    throw usageError('--session-id with --continue or --resume needs --fork-session', {
      hint: 'A session goes on under its own id; add --fork-session to go on in a copy',
    });
  }
  return { from, isFork, at, id, isKept: !invocation.has('no-session-persistence') };
}

function readFrom(invocation: Invocation): ResumeFlags['from'] {
  const id = invocation.value('resume');
  if (id !== undefined && invocation.has('continue')) {
    throw usageError('--continue and --resume contradict each other', { hint: 'Leave one of them out' });
  }
  if (invocation.has('continue')) return { kind: 'newest' };
  if (id === undefined) return { kind: 'new' };
  return id === '' ? { kind: 'pick' } : { kind: 'id', id: id.toLowerCase() };
}

function readUuid(invocation: Invocation, flag: 'session-id' | 'resume-session-at'): string | undefined {
  const text = invocation.value(flag);
  const value = text?.toLowerCase();
  if (value === undefined || isUuid(value)) return value;
  throw usageError(`--${flag} must be a UUID, got ${text}`, {
    hint: `Write --${flag} 123e4567-e89b-42d3-a456-426614174000`,
  });
}
