import { shorten } from '../../base/shorten.js';
import type { Elicitation, ElicitationReply } from '../../model/hooks/hook-call.js';
import { showLine } from '../../model/show.js';

/** Returns a port that declines every elicitation, and notes the first one of each server with the reason `why`. */
export function decliner(notes: string[], why: string): (question: Elicitation) => ElicitationReply {
  const told = new Set<string>();
  return ({ server, message }) => {
    if (!told.has(server)) {
      told.add(server);
      const asked = message === '' ? 'something' : `"${shorten(message, MESSAGE_SHOWN)}"`;
      notes.push(showLine(`note: "${server}" asked you ${asked}; Plugboard declined: ${why}`));
    }
    return DECLINED;
  };
}

export const DECLINED: ElicitationReply = { action: 'decline', reason: 'nobody is there to ask' };
const MESSAGE_SHOWN = 200;
