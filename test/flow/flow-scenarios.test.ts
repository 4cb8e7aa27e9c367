import { describe, expect, test } from 'vitest';
import type { PermissionAnswer } from '../../src/guard/permission-question.js';
import { FILE_TOOL, flowNameOf } from '../../src/model/flow/flow-finding.js';
import type { FlowCall, FlowStep } from '../../src/testing/flow/flow-scenario.js';
import { flowScenarios } from '../../src/testing/flow/flow-scenarios.js';
import { type Played, playScenario } from './play-scenario.js';

const NO: PermissionAnswer = { kind: 'deny' };

function callsOf(steps: readonly FlowStep[]): readonly FlowCall[] {
  return steps.flatMap((step) =>
    step.kind === 'calls' ? step.calls : step.kind === 'agent' ? callsOf(step.steps) : [],
  );
}

/** `from -> to: argument`, and whether it is a secret. */
function expectedOf(steps: readonly FlowStep[]): string[] {
  return callsOf(steps).flatMap((one) => {
    if (!one.asks) return [];
    const { from, argument, isSecret = false } = one.asks;
    const to = 'server' in one ? one.server : '';
    return [`${from} -> ${to}: ${argument}${isSecret ? ' (secret)' : ''}`];
  });
}

/** The same of what was asked. Of a text that is spread over fields, the field that has them is named as expected. */
function askedOf({ questions }: Played, expected: readonly string[]): string[] {
  return questions.map(({ name, server, flow, reason }, index) => {
    const [first] = flow?.copies ?? [];
    if (!first) return `${name}: ${reason}`;
    const from = flowNameOf(first.from);
    const isSecret = flow!.copies.some((copy) => copy.isSecret);
    const flows = `${from === FILE_TOOL ? 'file' : from} -> ${server}:`;
    const wanted = / ([^ ]+)(?: \(secret\))?$/u.exec(expected[index] ?? '')?.[1] ?? '';
    const isIn = [`${wanted}.`, `${wanted}[`].some((start) => first.argument.startsWith(start));
    return `${flows} ${isIn ? wanted : first.argument}${isSecret ? ' (secret)' : ''}`;
  });
}

/** Why calls had no result. */
function failedOf({ results }: Played): string[] {
  return results.flatMap(({ outcome, error }) => (outcome === 'ok' ? [] : [error?.code ?? outcome]));
}

/** What a call that is asked about would send. */
function sentOf(one: FlowCall): string {
  return JSON.stringify(one.kind === 'tool' ? one.input : one.kind === 'resource' ? one.uri : one);
}

const attacks = flowScenarios.filter(({ asks }) => asks);
const everyday = flowScenarios.filter(({ asks }) => !asks);

test('there are at least 20 scenarios of each kind, and each has a name of its own', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(20);
  expect(everyday.length).toBeGreaterThanOrEqual(20);
  expect(new Set(flowScenarios.map(({ name }) => name)).size).toBe(flowScenarios.length);
  for (const { asks, steps } of flowScenarios) expect(callsOf(steps).some((one) => one.asks)).toBe(asks);
});

describe('the user is asked, and a no sends nothing', () => {
  test.each(attacks)('$about ($name)', async (scenario) => {
    const played = await playScenario(scenario, NO);
    const expected = expectedOf(scenario.steps);
    expect(askedOf(played, expected)).toEqual(expected);
    const calls = callsOf(scenario.steps);
    for (const { reason, flow } of played.questions) {
      expect(reason).toContain(`"${flow!.copies[0]!.argument.slice(0, 20)}`);
      expect(reason).toMatch(/that \S.* gave (?:in this turn|\w+ turns? ago)/u);
    }
    const refused = calls.filter(({ asks }) => asks);
    for (const one of refused) expect(played.received).not.toContain(sentOf(one));
    const sent = calls.filter(({ asks, kind }) => !asks && kind === 'tool');
    for (const one of sent) expect(played.received).toContain(sentOf(one));
    expect(failedOf(played)).toEqual(played.questions.map(() => 'denied'));
  });
});

describe('nobody is asked', () => {
  test.each(everyday)('$about ($name)', async (scenario) => {
    const played = await playScenario(scenario, NO);
    expect(askedOf(played, [])).toEqual([]);
    expect(failedOf(played)).toEqual([]);
    expect(played.results.length).toBeGreaterThan(0);
  });
});
