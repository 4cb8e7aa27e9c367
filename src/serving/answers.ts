import { isObject, type JsonObject } from '../base/json.js';

/** Whether a client's answer has the form that its question wants: servers are not handed anything else. */
export function isAnswerTo({ method, params }: { method: string; params: JsonObject }, answer: JsonObject): boolean {
  switch (method) {
    case 'elicitation/create':
      return isElicited(answer, params['mode'] !== 'url');
    case 'sampling/createMessage':
      return isSampled(answer);
    case 'roots/list':
      return isList(answer['roots'], (root) => typeof root['uri'] === 'string');
    default:
      return true;
  }
}

/** What is in the form its server checks: only that knows what it asked for. */
function isElicited({ action, content }: JsonObject, isForm: boolean): boolean {
  if (action !== 'accept') return action === 'decline' || action === 'cancel';
  return !isForm || content === undefined || isObject(content);
}

function isSampled({ role, model, content }: JsonObject): boolean {
  const isContent = isObject(content) || isList(content, ({ type }) => typeof type === 'string');
  return isContent && typeof model === 'string' && (role === 'assistant' || role === 'user');
}

function isList(value: unknown, isItem: (item: JsonObject) => boolean): boolean {
  return Array.isArray(value) && value.every((item: unknown) => isObject(item) && isItem(item));
}
