import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

// The declarations that the build makes for the package: one file for each door, and one that doors share.
const LIB = resolve(import.meta.dirname, '../../dist/lib');
const all = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
/** Without those for agent frameworks, which import the framework. */
const files = all.filter((file) => !file.startsWith('adapters'));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly id?: { readonly name: string } | null;
  readonly key?: { readonly name?: string };
  readonly typeAnnotation?: { readonly typeAnnotation: { readonly type: string } };
  readonly body?: Node | readonly Node[];
  readonly declarations?: readonly Node[];
  readonly specifiers?: readonly { readonly local: { readonly name: string } }[];
}

function parse(file: string) {
  const code = readFileSync(join(LIB, file), 'utf8');
  const { program, comments } = parseSync(file, code, { lang: 'dts', sourceType: 'module' });
  const isDocumented = ({ start }: Node): boolean =>
    comments.some(({ value, end }) => value.startsWith('*') && end <= start && code.slice(end, start).trim() === '');
  return { code, body: program.body as unknown as readonly Node[], isDocumented };
}

const isDeclaration = ({ type }: Node): boolean => !/^(?:Import|Export)/u.test(type);
const nameOf = (node: Node): string => (node.declarations?.[0] ?? node).id!.name;
const exportsOf = (file: string): readonly string[] =>
  parse(file).body.flatMap(({ type, specifiers = [] }) =>
    type === 'ExportNamedDeclaration' ? specifiers.map(({ local }) => local.name) : [],
  );

test('the package has one file of declarations for each door, and one that each kind shares', () => {
  const { exports } = JSON.parse(readFileSync(resolve(LIB, '../../package.json'), 'utf8')) as {
    exports: Record<string, { types?: string }>;
  };
  const doors = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [resolve(LIB, '../..', types)],
  );
  expect(all.map((file) => join(LIB, file)).toSorted()).toEqual(
    [...doors, join(LIB, 'shared.d.ts'), join(LIB, 'adapters/adapter-types.d.ts')].toSorted(),
  );
});

test('every type that a declaration of the package names is exported by a door', () => {
  const exported = new Set(files.filter((file) => file !== 'shared.d.ts').flatMap(exportsOf));
  const hidden = files.flatMap((file) =>
    parse(file).body.flatMap((node) => (isDeclaration(node) && !exported.has(nameOf(node)) ? [nameOf(node)] : [])),
  );
  expect(hidden).toEqual([]);
  expect(exported.size).toBeGreaterThan(200);
});

test('every export of a door says in a comment what it is, and so does every method of a class', () => {
  const silent = files.flatMap((file) => {
    const { body, isDocumented } = parse(file);
    return body.filter(isDeclaration).flatMap((node) => {
      const own = isDocumented(node) ? [] : [nameOf(node)];
      if (node.type !== 'ClassDeclaration') return own;
      const members = (node.body as unknown as { readonly body: readonly Node[] }).body;
      const uncommented = members.filter((member) => member.key?.name !== undefined && !isDocumented(member));
      const asked = uncommented.filter(({ key }) => !['private', 'constructor', 'name'].includes(key!.name!));
      return [...own, ...asked.map(({ key }) => `${nameOf(node)}.${key!.name}`)];
    });
  });
  expect([...new Set(silent)].toSorted()).toEqual([]);
});

test('every field of an interface of the main door says in a comment what its type and name leave open', () => {
  const exported = new Set(exportsOf('index.d.ts'));
  const fields = ['index.d.ts', 'shared.d.ts'].flatMap((file) => {
    const { body, code, isDocumented } = parse(file);
    const own = body.filter((node) => node.type === 'TSInterfaceDeclaration' && exported.has(nameOf(node)));
    return own
      .filter((node) => !OF_PROVIDERS.test(nameOf(node)))
      .flatMap((node) => {
        const members = (node.body as unknown as { readonly body: readonly Node[] }).body;
        return members
          .filter(({ typeAnnotation }) => typeAnnotation?.typeAnnotation.type !== 'TSLiteralType') // kind: 'form'
          .map((member) => ({
            field: `${nameOf(node)}: ${code.slice(member.start).split('\n', 1)[0]!}`,
            isSilent: !isDocumented(member),
          }));
      });
  });
  expect(fields.filter(({ isSilent }) => isSilent).map(({ field }) => field)).toEqual([]);
  expect(fields.length).toBeGreaterThan(500);
});

/** Shapes of a provider's API, whose fields the provider documents. */
const OF_PROVIDERS = /^(?:Anthropic|Gemini|OpenAi)/u;

test('no declaration of the package imports another package', () => {
  const imported = files.flatMap((file) => [...parse(file).code.matchAll(/from '([^']+)'/gu)].map(([, from]) => from!));
  expect([...new Set(imported)].filter((from) => !from.startsWith('.') && !from.startsWith('node:'))).toEqual([]);
});
