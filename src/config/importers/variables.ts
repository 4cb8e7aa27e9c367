import { variablesIn } from '../entries/expand.js';

/** Translates the variables of a text to our syntax; reports what has no counterpart. */
export type VariableSyntax = (text: string, telling: VariableReport) => string;

export interface VariableReport {
  /** Reports what has no counterpart here. */
  readonly lose: (sentence: string) => void;
  /** Reports what is carried over but deserves attention. */
  readonly note: (sentence: string) => void;
  /** Whether the entry sets this variable itself, so that it is none of this machine. */
  readonly isOwn: (name: string) => boolean;
}

/** `${NAME}` and `${NAME:-default}`, as in our files. */
export const sameVariables: VariableSyntax = (text) => text;

/** For hosts that expand nothing. Our syntax cannot escape `${NAME}`, so the user gets a note. */
export const noVariables: VariableSyntax = (text, telling) => {
  noteVariables(text, telling);
  return text;
};

function noteVariables(text: string, { note, isOwn }: VariableReport): void {
  for (const name of variablesIn(text)) if (!isOwn(name)) note(readAsVariable(name));
}

/** `$NAME` as well as `${NAME}`. */
export const shellVariables: VariableSyntax = (text) => text.replaceAll(/\$([A-Za-z_][A-Za-z0-9_]*)/gu, '${$1}');

/** `{env:NAME}` and `{file:path}`. */
export const bracedVariables: VariableSyntax = (text, telling) => {
  noteVariables(text, telling);
  return text.replaceAll(/\{(env|file):([^}]*)\}/gu, (whole, kind: string, inside: string) => {
    if (kind === 'env' && isName(inside)) return `\${${inside}}`;
    telling.lose(notFilledIn(whole));
    return whole;
  });
};

/** The replacement for `${input:...}`; undefined when there is none. */
export type InputVariable = (id: string, note: VariableReport['note']) => string | undefined;

/** The variables of VS Code and editors derived from it: `${env:NAME}`, `${workspaceFolder}`. */
export function editorVariables(inputOf: InputVariable = () => undefined): VariableSyntax {
  return (text, { lose, note, isOwn }) =>
    text.replaceAll(/\$\{([^}]*)\}/gu, (whole, inside: string) => {
      const variable = Object.hasOwn(editorNames, inside) ? editorNames[inside] : undefined;
      if (variable !== undefined) return variable;
      if (inside.startsWith('env:') && isName(inside.slice(4))) return `\${${inside.slice(4)}}`;
      const input = inside.startsWith('input:') ? inputOf(inside.slice(6), note) : undefined;
      if (input !== undefined) return input;
      if (!isName(inside) || editorOnly.has(inside)) lose(notFilledIn(whole));
      else if (!isOwn(inside)) note(readAsVariable(inside));
      return whole;
    });
}

const editorNames: Readonly<Record<string, string>> = {
  workspaceFolder: '${PLUGBOARD_PROJECT_DIR}',
  userHome: '${HOME}',
  pathSeparator: '/', // Windows accepts it, too
  '/': '/',
};

/** Variables that only an editor knows. */
const editorOnly: ReadonlySet<string> = new Set(
  'workspaceFolderBasename cwd file fileBasename fileDirname relativeFile execPath lineNumber selectedText'.split(' '),
);

const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/u.test(text);

const readAsVariable = (name: string): string => `"\${${name}}" is read as the environment variable ${name} here`;

const notFilledIn = (whole: string): string =>
  `${JSON.stringify(whole.slice(0, 80))} is not filled in here: write the value itself`;
