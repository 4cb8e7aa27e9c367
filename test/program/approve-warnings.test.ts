import { describe, expect, test } from 'vitest';
import { makeSandbox, PROJECT_FILE } from './sandbox.js';

describe('the default of a variable hides no warning', () => {
  test.each<[words: readonly string[], risk: string]>([
    [['sh', '${Y:--c}', 'touch x'], 'sh runs its argument as code'],
    [['${X:-sh}', '-c', 'touch x'], 'sh runs its argument as code'],
    [['node', '${Y:---eval}', '1'], 'node runs its argument as code'],
    [['npx', '${P:---package=./x}', 'y'], 'npx runs ./x, perhaps of this repository'],
    [['docker', 'run', '${V:--v}', '/:/h', 'i'], 'docker lets the container use / of your machine'],
    [
      ['docker', 'run', '${P:---privileged}', 'i'],
      'docker lets the container do more than containers may: --privileged',
    ],
    [['python3', '-${E:-c}', '1'], 'python runs its argument as code'],
  ])('%j', async ([command, ...args], risk) => {
    const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { a: { command, args } } } });
    // Another machine may not have the variable set, so the default counts whatever the variable holds here.
    for (const env of [{}, { Y: 'z', X: 'z', P: 'z', V: 'z', E: 'u' }]) {
      const { json } = await sandbox.run(['approve', 'a', '--dry-run', '--json'], { env });
      expect((json!.data!['requests'] as { risks: string[] }[])[0]!.risks).toContain(risk);
    }
  });

  test('and what a variable holds here is judged, and told by its name', async () => {
    const entry = { command: 'uvx', args: ['${HOW:---quiet}', 'git+https://${TOKEN}@h.example/x', 'y'] };
    const sandbox = makeSandbox({ [PROJECT_FILE]: { mcpServers: { a: entry } } });
    const env = { HOW: '--from', TOKEN: 'hunter2-hunter2' };
    const { stdout, json } = await sandbox.run(['approve', 'a', '--dry-run', '--json'], { env });
    expect((json!.data!['requests'] as { risks: string[] }[])[0]!.risks).toContain(
      'uvx runs what it loads from git+https://${TOKEN}@h.example/x',
    );
    expect(stdout).not.toContain('hunter2');
    sandbox.write(PROJECT_FILE, { mcpServers: { a: { command: 'sh', args: ['${HOW}', 'x'] } } });
    const set = await sandbox.run(['approve', 'a', '--dry-run'], { env: { HOW: '-c' } });
    expect(set.stdout).toContain('=> ! sh runs its argument as code\n');
  });
});
