import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { onTestFinished } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');

/** A folder in which `import 'plugboard'` finds this package, removed after the test. */
export function makeProject(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-emit-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(repository, join(folder, 'node_modules/plugboard'));
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** Every check that a compiler has for sources, JavaScript included. */
const compilerOptions = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  noEmit: true,
  allowJs: true,
  checkJs: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  types: ['node'],
};

/** What the compiler says about all sources of a project; empty when nothing is wrong. */
export function compile(project: string): string {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.mjs'] }));
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: project, encoding: 'utf8' });
  return stdout;
}

/** What a source consists of, without the texts of its strings and comments. */
export interface SourceShape {
  readonly errors: readonly string[];
  /** Each word that is code: identifiers, and names of properties that are not quoted. */
  readonly words: ReadonlySet<string>;
  /** The kinds of all nodes, in order, for comparing two sources. */
  readonly statements: readonly string[];
  readonly comments: readonly string[];
}

export function shapeOf(file: string, source: string): SourceShape {
  const { program, errors, comments } = parseSync(file, source);
  const words = new Set<string>();
  visit(program, (node) => {
    const { type, name } = node;
    if ((type === 'Identifier' || type === 'PrivateIdentifier') && typeof name === 'string') words.add(name);
    if (type === 'TemplateLiteral' || type === 'TSTemplateLiteralType') words.add('`');
    if (type === 'JSXElement' || type === 'ImportExpression') words.add(type);
  });
  return {
    errors: errors.map(({ message }) => message),
    words,
    statements: program.body.map(({ type }) => type),
    comments: comments.map(({ value }) => value),
  };
}

function visit(node: unknown, see: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, see);
  else if (node !== null && typeof node === 'object') {
    see(node as Record<string, unknown>);
    for (const child of Object.values(node)) visit(child, see);
  }
}
