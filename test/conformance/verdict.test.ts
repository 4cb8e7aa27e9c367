import { expect, test } from 'vitest';
import { DONE } from './done.js';
import { type Check, judge, type Outcome, type Run } from './verdict.js';

const success: Check = { id: 'a', name: 'A', status: 'SUCCESS' };
const good: Run = {
  isContent: true,
  isSkipped: false,
  isTimedOut: false,
  checks: [success],
  driver: { stdout: `${DONE}\n`, stderr: '' },
  suite: '',
  ms: 1,
};

const verdicts: readonly [title: string, run: Partial<Run>, must: Outcome, listed: Outcome][] = [
  ['all that was looked at is right', {}, 'passed', 'stale'],
  ['nothing was looked at', { checks: [] }, 'empty', 'not-yet'],
  ['there are only remarks', { checks: [{ ...success, status: 'INFO' }] }, 'empty', 'not-yet'],
  ['one thing is wrong', { checks: [success, { ...success, status: 'FAILURE' }] }, 'failed', 'not-yet'],
  ['one thing should be otherwise', { checks: [success, { ...success, status: 'WARNING' }] }, 'failed', 'not-yet'],
  ['the suite is not content and does not say why', { isContent: false }, 'failed', 'not-yet'],
  ['the driver was killed', { driver: { stdout: '', stderr: '' } }, 'failed', 'not-yet'],
  ['it took too long', { isTimedOut: true }, 'failed', 'not-yet'],
  ['that revision does not have it', { isSkipped: true, checks: [] }, 'not-applicable', 'not-applicable'],
];

test.each(verdicts)(
  'where %s, a scenario that has to pass and one that is listed are told apart',
  (_title, run, must, listed) => {
    expect(judge({ ...good, ...run }, { isListed: false }).outcome).toBe(must);
    expect(judge({ ...good, ...run }, { isListed: true }).outcome).toBe(listed);
  },
);

test('a failure is told by the check that failed, in the words of the suite, and by the last words of the driver', () => {
  const checks: Check[] = [{ id: 'sep-1', name: 'One', status: 'FAILURE', errorMessage: 'no header' }];
  const run = { ...good, checks, driver: { stdout: '', stderr: 'http-failed: 400\n' } };
  expect(judge(run, { isListed: false }).faults).toEqual([
    'FAILURE sep-1 (One): no header',
    'the driver did not finish: http-failed: 400',
  ]);
});
