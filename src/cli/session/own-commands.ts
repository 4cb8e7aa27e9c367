import { actions } from '../../actions/all.js';

/** A next step that names a command of the program, as it is typed in a session: `plugboard login x` is `/mcp login x`. */
export function ownCommands(hint: string): string {
  return hint
    .replaceAll(ACTION, '/mcp $1')
    .replaceAll(/\bplugboard (permissions|prompts|resources|tools|call)\b/gu, '/$1')
    .replaceAll(/\bplugboard list\b/gu, '/mcp')
    .replaceAll('--model NAME', '/model NAME');
}

const ACTION = new RegExp(String.raw`\bplugboard (${actions.map(({ name }) => name).join('|')})(?= [\w"'])`, 'gu');
