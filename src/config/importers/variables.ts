import { variablesIn } from '../expand.js';

/** One text in our own way of naming variables; what has no counterpart is told in a sentence. */
export type Dialect = (text: string, tell: (sentence: string) => void) => string;

/** `${NAME}` and `${NAME:-default}`, as here. */
export const sameVariables: Dialect = (text) => text;

/** Hosts that fill in nothing. There is no way to write a plain `${NAME}` here, so whoever imports is told. */
export const noVariables: Dialect = (text, tell) => {
  for (const name of variablesIn(text)) tell(readAsVariable(name));
  return text;
};

/** `$NAME` besides `${NAME}`. */
export const shellVariables: Dialect = (text) => text.replaceAll(/\$([A-Za-z_][A-Za-z0-9_]*)/gu, '${$1}');

/** `{env:NAME}` and `{file:path}`. */
export const bracedVariables: Dialect = (text, tell) => {
  for (const name of variablesIn(text)) tell(readAsVariable(name));
  return text.replaceAll(/\{(env|file):([^}]*)\}/gu, (whole, kind: string, inside: string) => {
    if (kind === 'env' && isName(inside)) return `\${${inside}}`;
    tell(notFilledIn(whole));
    return whole;
  });
};

/** What `${input:...}` becomes; undefined when nothing can take its place. */
export type InputVariable = (id: string, tell: (sentence: string) => void) => string | undefined;

/** The variables of VS Code and of the editors that descend from it: `${env:NAME}`, `${workspaceFolder}`. */
export function editorVariables(inputOf: InputVariable = () => undefined): Dialect {
  return (text, tell) =>
    text.replaceAll(/\$\{([^}]*)\}/gu, (whole, inside: string) => {
      const variable = Object.hasOwn(editorNames, inside) ? editorNames[inside] : undefined;
      if (variable !== undefined) return variable;
      if (inside.startsWith('env:') && isName(inside.slice(4))) return `\${${inside.slice(4)}}`;
      const input = inside.startsWith('input:') ? inputOf(inside.slice(6), tell) : undefined;
      if (input !== undefined) return input;
      tell(isName(inside) ? readAsVariable(inside) : notFilledIn(whole));
      return whole;
    });
}

const editorNames: Readonly<Record<string, string>> = {
  workspaceFolder: '${PLUGBOARD_PROJECT_DIR}',
  userHome: '${HOME}',
  pathSeparator: '/', // Windows takes it as well
  '/': '/',
};

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/u.test(text);

const readAsVariable = (name: string): string => `"\${${name}}" is read as the environment variable ${name} here`;

const notFilledIn = (whole: string): string =>
  `${JSON.stringify(whole.slice(0, 80))} is not filled in here: write the value itself`;
