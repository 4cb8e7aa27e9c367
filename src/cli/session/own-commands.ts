import { serverActions } from '../../actions/all.js';

/** Rewrites the program's commands in a hint as a session's: `plugboard login x` becomes `/mcp login x`. */
export function ownCommands(hint: string): string {
  return hint
    .replaceAll(ACTION, '/mcp $1')
    .replaceAll(/\bplugboard (permissions|prompts|resources|tools|call|value)\b/gu, '/$1')
    .replaceAll(/\bplugboard list\b/gu, '/mcp')
    .replaceAll('--model NAME', '/model NAME');
}

const ACTION = new RegExp(
  String.raw`\bplugboard (${serverActions.map(({ name }) => name).join('|')})(?= [\w"'])`,
  'gu',
);
