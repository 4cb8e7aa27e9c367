import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const SOURCE = resolve(import.meta.dirname, '../..');

/** A project of its own, outside of this repository, that has the packed package installed. */
export interface ConsumerProject extends Disposable {
  readonly root: string;
  /** Makes a package of another folder of modules available, with all that it needs. */
  link(modules: string, name: string): void;
  /** What the compiler says about a program of sources/; empty: nothing. */
  compile(options: CompileOptions): string;
}

export interface CompileOptions {
  /** A program of sources/. */
  readonly program: string;
  /** The compiler's main file. */
  readonly compiler: string;
  readonly module: 'NodeNext' | 'ESNext';
}

/** The folder of the package as it is published, in a folder that the caller removes. */
export function packPackage(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-packed-')));
  const npm = ['pack', '--json', '--ignore-scripts', '--pack-destination', root];
  const packed = execFileSync('npm', npm, { cwd: SOURCE, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  execFileSync('tar', ['-xzf', join(root, filename), '-C', root]);
  return join(root, 'package');
}

export function openProject(packed: string): ConsumerProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-consumer-')));
  mkdirSync(join(root, 'node_modules'));
  cpSync(packed, join(root, 'node_modules/plugboard'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  return {
    root,
    link(modules, name) {
      const place = join(root, 'node_modules', name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(join(modules, name), place);
    },
    compile({ program, compiler, module }) {
      cpSync(join(import.meta.dirname, 'sources', program), join(root, program));
      const compilerOptions = {
        target: 'ES2022',
        lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
        module,
        moduleResolution: module === 'ESNext' ? 'Bundler' : 'NodeNext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noPropertyAccessFromIndexSignature: true,
        skipLibCheck: false,
        noEmit: true,
        types: ['node'],
      };
      writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }));
      const { stdout, stderr, status } = spawnSync(process.execPath, [compiler, '-p', root], { encoding: 'utf8' });
      return status === 0 ? stdout : `${stdout}${stderr}exit code ${status}`;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
