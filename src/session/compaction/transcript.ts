import { unreachable } from '../../base/never.js';
import { shorten } from '../../base/shorten.js';
import type { ConversationItem } from '../conversation-items.js';
import type { AssistantPart } from '../message.js';

/** The conversation as text, a piece for each message. `limit`: the most characters of one result or message. */
export function* transcriptOf(items: readonly ConversationItem[], limit = Infinity): Generator<string> {
  for (const { stored } of items) {
    if (stored.kind === 'results') {
      for (const { calledAs, outcome, content } of stored.results) {
        const words = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
        yield `## Result of ${calledAs} (${outcome})\n\n${cut(words, limit)}\n\n`;
      }
      continue;
    }
    const { message, from = 'user' } = stored;
    if (message.role === 'assistant') {
      const words = message.parts.map(toWords).filter((text) => text !== '');
      yield `## Model\n\n${cut(words.join('\n\n'), limit)}\n\n`;
    } else {
      const words = message.parts.map((part) => (part.kind === 'text' ? part.text : `[image, ${part.mimeType}]`));
      yield `## ${AUTHORS[from]}\n\n${cut(words.join('\n\n'), limit)}\n\n`;
    }
  }
}

function toWords(part: AssistantPart): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'reasoning':
      return '';
    case 'call':
    case 'provider-call':
      return `[call of ${part.name}] ${JSON.stringify(part.input)}`;
    case 'provider-result':
      return `[result of ${part.name}] ${JSON.stringify(part.result)}`;
    default:
      return unreachable(part);
  }
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : shorten(text, limit);
}

const AUTHORS = { user: 'User', host: 'Host', summary: 'Summary of what was before' } as const;
