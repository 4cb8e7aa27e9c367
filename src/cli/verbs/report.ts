import * as actions from '../../actions/files/report.js';
import { toVerb } from '../start/action-verb.js';

export const reportVerb = toVerb(actions.report, {
  usage: '[--out FILE] [--connect]',
  reportsWarnings: true,
  examples: ['plugboard report', 'plugboard report --out report.md --connect'],
});
