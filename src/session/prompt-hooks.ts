import { HostError } from '../base/errors.js';
import type { SessionHooks, SessionStartSource } from '../model/hooks/session-hooks.js';
import type { Message } from './message.js';

export interface PromptHooksOptions {
  readonly signal: AbortSignal;
  /** Set for the first prompt: hooks of SessionStart are run before. */
  readonly begins: SessionStartSource | undefined;
  readonly model: string;
}

export type CheckedPrompt =
  /** With what hooks add for the model. */
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  | { readonly kind: 'blocked'; readonly error: HostError };

/** Runs the hooks before a prompt. Never rejects. */
export async function askPromptHooks(
  hooks: SessionHooks,
  messages: readonly Message[],
  { signal, begins, model }: PromptHooksOptions,
): Promise<CheckedPrompt> {
  const started = begins && hooks.has('SessionStart') ? await hooks.started(begins, model) : undefined;
  const submitted = hooks.has('UserPromptSubmit') ? await hooks.promptSubmitted(toText(messages), signal) : undefined;
  if (submitted?.kind === 'block') {
    const error = new HostError('denied', `A hook does not let this prompt pass: ${submitted.reason}`, {
      hint: 'Change the prompt, or the UserPromptSubmit hook in your settings',
    });
    return { kind: 'blocked', error };
  }
  const added = [
    ...(started?.context ?? []).map((text) => `[SessionStart hook] ${text}`),
    ...(submitted?.context ?? []).map((text) => `[UserPromptSubmit hook] ${text}`),
  ];
  if (added.length === 0) return { kind: 'messages', messages };
  const parts = added.map((text) => ({ kind: 'text', text }) as const);
  // The last message is the user's, and what hooks add belongs to it.
  const last = messages.at(-1);
  if (last?.role !== 'user') return { kind: 'messages', messages: [...messages, { role: 'user', parts }] };
  return { kind: 'messages', messages: [...messages.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }] };
}

function toText(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => (message.role === 'user' ? message.parts : []))
    .map((part) => (part.kind === 'text' ? part.text : '[image]'))
    .join('\n\n');
}
