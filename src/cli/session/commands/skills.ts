import { toRows } from '../../output/screen-text.js';
import { showAbout, showLine } from '../../../model/show.js';
import { fullSkillName } from '../../../model/view/skill-names.js';
import type { Command } from '../command.js';
import { completeSkill, typedSkill } from '../completion/complete-skills.js';

export const skillsCommand: Command = {
  name: 'skills',
  usage: '[NAME [TEXT]]',
  summary: 'Show the skills that servers offer, or have the model use one',
  completesLater: completeSkill,
  isMessage: (rest) => rest.trim() !== '',
  async run({ session: { host }, screen, signal }) {
    const { skills: found, notes } = await host.skills({ signal });
    const rows = found
      .slice(0, SHOWN)
      .map((skill) => [showLine(typedSkill(fullSkillName(skill))), showAbout(skill)] as const);
    const { dim } = screen.style;
    screen.print(
      [
        ...(rows.length === 0 ? ['No server offers skills.'] : toRows(rows, screen.columns)),
        ...(found.length > SHOWN ? [`  … and ${found.length - SHOWN} more`] : []),
        ...(rows.length === 0 ? [] : [dim('/skills NAME TEXT has the model use one')]),
        ...notes.map((note) => dim(showLine(note))),
      ].join('\n'),
    );
  },
};

const SHOWN = 200; // more rows scroll by unread
