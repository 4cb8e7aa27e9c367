import { expect, test } from 'vitest';
import { flowText } from './rules-text.js';

test('what the flow guard does is shown with its rules, and names that no server has', () => {
  expect(flowText({}, [])).toEqual(['Flow guard: ask where you can be asked, else off']);
  const flow = {
    mode: 'deny',
    ownAllow: ['web -> notes', 'nots -> web', 'Read -> *'],
    allow: ['stdin -> web'],
  } as const;
  expect(flowText(flow, ['web', 'notes'])).toEqual([
    'Flow guard: deny',
    '  allow  web -> notes',
    '  allow  nots -> web  no server is called nots',
    '  allow  Read -> *',
    '  allow  stdin -> web, for all servers of this project',
  ]);
});
