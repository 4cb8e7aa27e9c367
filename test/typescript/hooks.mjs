// Hooks with which Node imports our TypeScript. Types are not checked here, and each file is compiled by itself.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { transformSync } from 'oxc-transform';

/** What compiled code imports for `using`, as a default export. */
const USING = '@oxc-project/runtime/helpers/usingCtx';
const USING_URL = 'using:openBlock';
const using = JSON.stringify(new URL('using.ts', import.meta.url).href);
const OPTIONS = {
  lang: 'ts',
  target: 'node20',
  sourcemap: true,
  typescript: { onlyRemoveTypeImports: true },
};

/** A source names the compiled file of a module, `./host.js`; here only `./host.ts` is there. */
export function resolve(specifier, context, next) {
  if (specifier === USING) return { url: USING_URL, format: 'module', shortCircuit: true };
  const { parentURL = '' } = context;
  if (/^\.{1,2}\/.*\.js$/u.test(specifier) && parentURL.startsWith('file:') && !parentURL.includes('/node_modules/')) {
    const url = new URL(specifier.replace(/\.js$/u, '.ts'), parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export function load(url, context, next) {
  if (url === USING_URL)
    return { format: 'module', source: `export { openBlock as default } from ${using};`, shortCircuit: true };
  const [address] = url.split('?');
  if (!address.startsWith('file:') || !address.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: compile(fileURLToPath(address)), shortCircuit: true };
}

function compile(file) {
  const { code, map, errors } = transformSync(file, readFileSync(file, 'utf8'), OPTIONS);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`);
  const encoded = Buffer.from(JSON.stringify(map)).toString('base64');
  return `${importingOnce(file, code)}\n//# sourceMappingURL=data:application/json;base64,${encoded}`;
}

/**
 * Each `import()` asks the thread of these hooks, also for a module that is there. Tests with a clock of their own let it go
 * on after a turn of the event loop, so each module is asked for once.
 */
function importingOnce(file, code) {
  if (!/\bimport\s*\(/u.test(code)) return code;
  const { module } = parseSync(`${file}.mjs`, code);
  let changed = code;
  for (const { start, end, moduleRequest } of module.dynamicImports.toReversed()) {
    const name = code.slice(moduleRequest.start, moduleRequest.end);
    if (!/^"[^"]*"$/u.test(name)) continue;
    changed = `${changed.slice(0, start)}__once(${name}, () => ${code.slice(start, end)})${changed.slice(end)}`;
  }
  return changed === code ? code : `${changed}\n${ONCE}`;
}

/** Known by their addresses to all files of the process. */
const ONCE = [
  'function __once(name, load) {',
  "  const known = (globalThis[Symbol.for('plugboard.imports')] ??= new Map());",
  "  const address = name.startsWith('.') ? new URL(name, import.meta.url).href : name;",
  '  if (!known.has(address)) known.set(address, load());',
  '  return known.get(address);',
  '}',
].join(' ');
