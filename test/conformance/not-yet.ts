/** Why Plugboard does not pass a scenario yet; undefined when it must pass. Remove scenarios that pass. */
export function findReason(scenario: string): string | undefined {
  return notYet.find(({ scenarios }) => scenarios.includes(scenario))?.reason;
}

export function listedScenarios(): readonly string[] {
  return notYet.flatMap(({ scenarios }) => scenarios);
}

const notYet: readonly { readonly reason: string; readonly scenarios: readonly string[] }[] = [];
