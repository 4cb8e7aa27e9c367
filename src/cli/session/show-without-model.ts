import type { Message } from '../../session/index.js';
import type { Host } from '../../index.js';
import type { HostError } from '../../base/errors.js';
import { findMentions } from '../../model/view/mentions.js';
import { gateText } from '../../model/text/text-gate.js';
import type { Screen } from '../terminal/screen.js';
import { ownRows } from './display/quoted-rows.js';

export interface HandOptions {
  readonly host: Host;
  readonly screen: Screen;
  /** Why there is no model, and how to add one. */
  readonly error: HostError;
}

/** Shows the user what the model would have read: a prompt, or a mentioned resource; or that the text needs a model. */
export function showWithoutModel(
  text: string,
  messages: readonly Message[],
  { host, screen, error }: HandOptions,
): void {
  if (/^\s*\/mcp__/u.test(text)) {
    for (const message of messages) {
      if (message.role === 'results') continue;
      screen.print(`${screen.style.bold(message.role)}\n${partsText(message.parts)}`);
    }
    return;
  }
  const names = host.servers().map(({ name }) => name);
  const typed = text.trim();
  const [mention, ...more] = findMentions(typed, names);
  if (mention && more.length === 0 && mention.start === 0 && mention.end === typed.length) {
    const [message] = messages;
    // The last part is the typed text.
    const parts = message && message.role === 'user' ? message.parts.slice(0, -1) : [];
    if (parts.length > 0) screen.print(partsText(parts));
    return;
  }
  const { columns, style } = screen;
  screen.print(
    [
      ...ownRows(error.message, columns).map(style.yellow),
      ...(error.hint === undefined ? [] : ownRows(`  ${error.hint}`, columns)),
      ...ownRows('  Without a model, these work: /call TOOL, /mcp__SERVER__PROMPT, @SERVER:URI and /help.', columns),
      ...(screen.isPlain ? [] : ownRows('  Your message was not sent: the Up key brings it back.', columns)),
    ].join('\n'),
  );
}

function partsText(parts: readonly { readonly kind: string }[]): string {
  return parts
    .map((part) => {
      const { kind, text, mimeType } = part as { kind: string; text?: string; mimeType?: string };
      if (kind === 'text' || kind === 'reasoning') return cut(gateText(text ?? '').text);
      return `[${kind}${mimeType === undefined ? '' : ` ${mimeType}`}]`;
    })
    .join('\n');
}

function cut(text: string): string {
  return text.length <= LIMIT ? text : `${text.slice(0, LIMIT)}\n… ${text.length - LIMIT} more characters`;
}

const LIMIT = 50_000; // characters; more scrolls by unread
