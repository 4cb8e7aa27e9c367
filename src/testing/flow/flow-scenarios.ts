import { encodedAttacks } from './encoded-attacks.js';
import { everydayCopies } from './everyday-copies.js';
import { everydayNames } from './everyday-names.js';
import { everydayWords } from './everyday-words.js';
import type { FlowScenario } from './flow-scenario.js';
import { plainAttacks } from './plain-attacks.js';
import { recordAttacks } from './record-attacks.js';
import { routedAttacks } from './routed-attacks.js';
import { secretAttacks } from './secret-attacks.js';

/** What a guard against injected texts has to ask about, and everyday work about which it has to ask nothing. */
export const flowScenarios: readonly FlowScenario[] = [
  ...plainAttacks,
  ...encodedAttacks,
  ...secretAttacks,
  ...recordAttacks,
  ...routedAttacks,
  ...everydayNames,
  ...everydayWords,
  ...everydayCopies,
];
