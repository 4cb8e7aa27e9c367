import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPlainPath } from './plain-path.js';

const HEX = '0123456789abcdef0a1b2c3d4e5f6071';
const MAC = '/private/var/folders/9x/k3b2c1xd5ljc4mv8q7s2hr400000gn/T';

test.each([
  '/tmp',
  '~/notes',
  '/home/me/my notes/out_1.d',
  '/home/me/Заметки/über uns.txt',
  '/tmp/plugboard-browser-Xy12Ab',
  '/tmp/plugboard-clients-9fK2xQ/plugboard-memory-aB3dE9/memory.json',
  '/tmp/plugboard-test-12565-8a7fB8/plugboard-clients-9fK2xQ/plugboard-memory-aB3dE9',
  '/tmp/tmp.aB3dE9fGh1',
  '/tmp/tmpab12_x9z',
  `${MAC}/plugboard-files-Xy12Ab`,
  '/opt/node-v20.20.2-linux-x64/bin/node',
  '/srv/reports/2026-11-19-report.txt',
  '/home/me/Screenshots/Screenshot_20261119-123456789.png',
  '/usr/lib/x86_64-linux-gnu/libstdc',
  '/home/me/IdeaProjects/MyFirstProject/node_modules',
  '/opt/i18n/utf8mb4/k8s/log4j',
  String.raw`C:\Users\me\notes`,
  String.raw`C:\Users\RUNNER~1\AppData\Local\Temp\plugboard-files-Xy12Ab`,
  String.raw`C:\Program Files (x86)\Tool\bin`,
  'c:/windows/system32',
])('%s is a plain path', (text) => {
  expect(isPlainPath(text)).toBe(true);
});

test.each([
  '/tmp/ghp_abcdef',
  '/tmp/github_pat_11ABCDE',
  '/etc/glpat-abcdefgh',
  '/etc/x/sk-proj-abcdefgh',
  '/var/xoxb-abcdefgh',
  '/var/AKIAIOSFODNN',
  '~/eyJhbGciOi.eyJzdWIi.sig',
  '/usr/K7MDENG/bPxRfiCYEXAMPLEKEY',
  '/usr/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  '/opt/hooks/T024BE7LD/B0G9ABC2E/abCDefGHijKLmnOPqrSTuvWX',
  `/srv/feeds/${HEX}/private.ics`,
  `/srv/feeds/${HEX.toUpperCase()}`,
  `/etc/${HEX.slice(0, 18)}`,
  '/etc/x7-Kq2mPz9RtLw4v',
  '/srv/550e8400-e29b-41d4-a716-446655440000/feed',
  '/opt/JBSWY3DPEHPK3PXP',
  '/opt/KVKFKRCPNZQUYMLX',
  '/opt/KVKFKRCPNZQUYM23',
  '/etc/123456789012345678',
  '/var/run/db,user sa',
  '/var/lib/x@host',
  '/usr/lib/a+b',
  '/usr/lib/a (b)',
  '/srv/hook?t=5fK20dkWq9',
  '/9j/4AAQSkZJRgABAQ',
  String.raw`x:\hunter22`,
  String.raw`C:\hunter22`,
  'C:/Usershunter22',
  'hunter22',
])('%s is none', (text) => {
  expect(isPlainPath(text)).toBe(false);
});

test('random bytes in hex and Base64 are no part of a plain path', () => {
  const keys = Array.from({ length: 200 }, (_, at) => createHash('sha384').update(String(at)).digest());
  const texts = keys.flatMap((key) => [key.toString('hex'), key.toString('base64url')]);
  expect(texts.filter((text) => isPlainPath(`/srv/${text}`))).toEqual([]);
});
